// Waits for slots at a host, for requests that the dispatcher did not plan.
import { defaultLookAheadMs } from '../../dispatch/dispatcher.ts'
import type { JobHostPolicy, Reservation } from '../../dispatch/host-table.ts'
import { Failure } from '../../model/failures.ts'
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'

/** What waiting for a slot at a host needs. */
export type SlotContext = Pick<CoordinatorContext, 'hosts' | 'clock' | 'stopping' | 'settings'>

/** A task waits no longer than this; then it returns to pending. More than the longest crawl delay and the life of a permit. */
const longestWaitMs = 40_000
/** How often to look again if the host cannot say when it is free. */
const lookAgainMs = 20

/** A booked start, and the gap after it. */
type Turn = Extract<Reservation, { ok: true }>

/** How long after its start the request may be sent, by the gap. The host is booked until then. */
type ValidFor = (gapMs: number) => number | undefined

/** Takes a slot at the host (to be freed by `hosts.finished`) and waits for its start. */
export const waitForSlot = (context: SlotContext, job: RunningJob, host: string): Promise<Turn> =>
  waitForTurn(context, job, host, job.hostPolicy(context.settings.concurrency), { extra: false })

/**
 * The same for one of many tasks that wait together, as after a robots.txt. They wait in line, because a thousand timers would keep
 * the process busy. They go to a lane next, so their start may be a little ahead.
 */
export function waitInLine(context: SlotContext, job: RunningJob, host: string): Promise<Turn> {
  const latest = context.clock.now() + longestWaitMs
  const before = job.lines.get(host) ?? Promise.resolve()
  const wait = { extra: false, aheadMs: defaultLookAheadMs, latest }
  const turn = before.then(() =>
    waitForTurn(context, job, host, job.hostPolicy(context.settings.concurrency), wait),
  )
  const isOver = turn
    .catch(() => {})
    .then(() => {
      if (job.lines.get(host) === isOver) job.lines.delete(host)
    })
  job.lines.set(host, isOver)
  return turn
}

/** For a further request of a task in flight: spaced like any other, but without a slot of its own. */
export const waitForExtra = (
  context: SlotContext,
  job: RunningJob,
  host: string,
  validFor?: ValidFor,
): Promise<Turn> => waitForStart(context, job, host, job.hostPolicy(context.settings.concurrency), validFor)

/** For robots.txt itself, and for resources of a rendered page, to which robots.txt does not apply. */
export const waitForRobotsHop = (
  context: SlotContext,
  job: RunningJob,
  host: string,
  validFor?: ValidFor,
): Promise<Turn> =>
  waitForStart(
    context,
    job,
    host,
    { ...job.hostPolicy(context.settings.concurrency), robots: 'ignore' },
    validFor,
  )

/** Books as far ahead as the dispatcher, which would otherwise take every start. */
async function waitForStart(
  context: SlotContext,
  job: RunningJob,
  host: string,
  ask: JobHostPolicy,
  validFor?: ValidFor,
): Promise<Turn> {
  const turn = await waitForTurn(context, job, host, ask, { extra: true, aheadMs: defaultLookAheadMs })
  const validMs = turn.gapMs > 0 ? validFor?.(turn.gapMs) : undefined
  if (validMs !== undefined) context.hosts.noteSent(host, turn.at + validMs)
  const waitMs = turn.at - context.clock.now()
  if (waitMs > 0) await sleepOn(context, job, host, waitMs)
  return turn
}

interface Wait {
  extra: boolean
  /** How far ahead the start may be. */
  aheadMs?: number
  latest?: number
}

async function waitForTurn(
  context: SlotContext,
  job: RunningJob,
  host: string,
  ask: JobHostPolicy,
  { extra, aheadMs = 0, latest = context.clock.now() + longestWaitMs }: Wait,
): Promise<Turn> {
  for (;;) {
    const now = context.clock.now()
    const turn = extra
      ? context.hosts.reserveExtra(host, now, now + aheadMs, ask)
      : context.hosts.reserve(host, now, now + aheadMs, ask)
    if (turn.ok) return turn
    const freeInMs = turn.until === null ? lookAgainMs : turn.until - now
    if (now + freeInMs > latest) throw notNow(host, turn.reason, freeInMs)
    await sleepOn(context, job, host, Math.max(1, turn.until === null ? freeInMs : freeInMs - aheadMs))
  }
}

/** Other jobs may wait for the same robots.txt. If this job is cancelled, they get `worker.stopping` and retry. */
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
