// Waits for slots at a host, for requests that the dispatcher did not plan.
import { defaultLookAheadMs } from '../../../dispatch/dispatcher.ts'
import type { JobHostPolicy, Reservation } from '../../../dispatch/host-table.ts'
import { Failure } from '../../../model/failures.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'

/** Dependencies for waiting for a slot at a host. */
export type SlotContext = Pick<CoordinatorContext, 'hosts' | 'clock' | 'stopping' | 'settings'>

/** The longest wait of a task for a slot. After that, the task returns to pending. The limit is longer than the longest
 *  crawl delay plus the validity of a permit. */
const longestWaitMs = 40_000
/** How often to try again if the host table cannot say when the next slot is free. */
const lookAgainMs = 20

/** A reserved slot: its start time, and the minimum time until the next slot. */
type Slot = Extract<Reservation, { ok: true }>

/** How long after the start of its slot a request may be sent. The host counts as used until then. Undefined means no
 *  limit. */
type ValidFor = (gapMs: number) => number | undefined

/** Reserves a slot at the host and waits for its start. The request counts as in flight until the caller calls `hosts.finished`. */
export const waitForSlot = (context: SlotContext, job: RunningJob, host: string): Promise<Slot> =>
  reserveSlot(context, job, host, job.hostPolicy(context.settings.concurrency), { extra: false })

/**
 * Reserves a slot for one of many tasks that wait together, for example after a robots.txt was fetched. The tasks wait
 * one after another, because a thousand timers would keep the process busy. Resolves shortly before the slot starts,
 * because the task goes to a lane next, and the lane waits for the start.
 */
export function waitInLine(context: SlotContext, job: RunningJob, host: string): Promise<Slot> {
  const latest = context.clock.now() + longestWaitMs
  const before = job.lines.get(host) ?? Promise.resolve()
  const wait = { extra: false, aheadMs: defaultLookAheadMs, latest }
  const slot = before.then(() =>
    reserveSlot(context, job, host, job.hostPolicy(context.settings.concurrency), wait),
  )
  const isOver = slot
    .catch(() => {})
    .then(() => {
      if (job.lines.get(host) === isOver) job.lines.delete(host)
    })
  job.lines.set(host, isOver)
  return slot
}

/** Waits for the slot of a further request of a task in flight. The rate of the host applies, but the request is not
 *  counted as another one in flight. */
export const waitForExtra = (
  context: SlotContext,
  job: RunningJob,
  host: string,
  validFor?: ValidFor,
): Promise<Slot> => waitForStart(context, job, host, job.hostPolicy(context.settings.concurrency), validFor)

/** Waits for the slot of a request to which robots.txt does not apply: robots.txt itself, or a resource of a rendered page. */
export const waitForRobotsHop = (
  context: SlotContext,
  job: RunningJob,
  host: string,
  validFor?: ValidFor,
): Promise<Slot> =>
  waitForStart(
    context,
    job,
    host,
    { ...job.hostPolicy(context.settings.concurrency), robots: 'ignore' },
    validFor,
  )

/** Reserves a slot up to `aheadMs` in the future, as the dispatcher does. Otherwise the dispatcher would take every
 *  slot first. */
async function waitForStart(
  context: SlotContext,
  job: RunningJob,
  host: string,
  ask: JobHostPolicy,
  validFor?: ValidFor,
): Promise<Slot> {
  const slot = await reserveSlot(context, job, host, ask, { extra: true, aheadMs: defaultLookAheadMs })
  const validMs = slot.gapMs > 0 ? validFor?.(slot.gapMs) : undefined
  if (validMs !== undefined) context.hosts.noteSent(host, slot.at + validMs)
  const waitMs = slot.at - context.clock.now()
  if (waitMs > 0) await sleepOn(context, job, host, waitMs)
  return slot
}

interface Wait {
  extra: boolean
  /** How far in the future the start of the slot may be. */
  aheadMs?: number
  latest?: number
}

async function reserveSlot(
  context: SlotContext,
  job: RunningJob,
  host: string,
  ask: JobHostPolicy,
  { extra, aheadMs = 0, latest = context.clock.now() + longestWaitMs }: Wait,
): Promise<Slot> {
  for (;;) {
    const now = context.clock.now()
    const slot = extra
      ? context.hosts.reserveExtra(host, now, now + aheadMs, ask)
      : context.hosts.reserve(host, now, now + aheadMs, ask)
    if (slot.ok) return slot
    const freeInMs = slot.until === null ? lookAgainMs : slot.until - now
    if (now + freeInMs > latest) throw notNow(host, slot.reason, freeInMs)
    await sleepOn(context, job, host, Math.max(1, slot.until === null ? freeInMs : freeInMs - aheadMs))
  }
}

/** Waits, and throws `worker.stopping` if the process stops or the job is cancelled. After a failure with this code, other jobs
 *  that wait for the same robots.txt try again. */
async function sleepOn(context: SlotContext, job: RunningJob, host: string, ms: number): Promise<void> {
  const over = job.waitsEnd(context.stopping)
  await context.clock.sleep(ms, over).catch(() => {})
  if (over.aborted) throw new Failure('worker.stopping', `stopped while waiting for ${host}`)
}

const notNow = (host: string, reason: string, retryAfterMs: number): Failure =>
  new Failure(
    'host.not-now',
    `${host} may not be requested for another ${Math.round(retryAfterMs / 1000)} s (${reason})`,
    { host, reason, retryAfterMs },
  )
