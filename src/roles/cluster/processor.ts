// processor: pages that workers kept are read, and what came of them is written down, many in one commit.
import { systemClock } from '../../lib/clocks.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { type ProcessMessage, streams } from '../../model/hand-over.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { BlobRef, Page } from '../../model/page.ts'
import { poisonAfter } from '../../pipeline/coordinator.ts'
import type { Lane } from '../../pipeline/lane.ts'
import { unpackReport } from '../../pipeline/pack-report.ts'
import { runProcessTask } from '../../pipeline/run-process-task.ts'
import type { Reported } from '../../pipeline/settle-reports.ts'
import { failedReport } from '../../pipeline/task-report.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import { readKeptPages } from '../../results/read-page.ts'
import { openLane } from '../open-lane.ts'
import { laneStart } from '../open-lanes.ts'
import { KnownJobs } from './known-jobs.ts'
import { fetches, giveSigns } from './presence.ts'
import type { RoleParts, Running } from './role.ts'
import {
  asDataDirectory,
  openBlobs,
  openCalls,
  openQueue,
  openStore,
  openStreams,
  processName,
} from './services.ts'
import { type SettlingParts, settleGroup } from './settling.ts'

/** One round reads while the other one commits. */
const rounds = 2
const messagesAtOnce = 4
const waitMs = 60_000
const restMs = 500
const lookEveryMs = 5_000

interface ProcessorParts {
  queue: Queue<ProcessMessage>
  blobs: Blobs
  lane: Lane
  jobs: KnownJobs
  settling: SettlingParts
  leaseMs: number
  held: Set<string>
}

export async function processor(parts: RoleParts): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  const { settings } = parts
  const name = processName('processor')
  const store = opened.use(await openStore(settings))
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings))
  const data = asDataDirectory(settings, store, blobs)
  const lane = opened.use(
    await openLane(laneStart({ data, settings, scraperFiles: parts.scraperFiles }, name, null), {
      ...{ registry: parts.registry, emit: parts.emit, blobs },
      askPermit: async () => {},
      report: () => {},
    }),
  )
  const presence = opened.use(await openStreams(settings))
  const jobs = new KnownJobs(store, settings)
  const held = new Set<string>()
  const stop = new AbortController()
  const settling: SettlingParts = {
    ...{ store, blobs, calls, name, clock: systemClock, emit: parts.emit, mark: parts.mark },
    maxRetryAfterMs: 600_000,
  }
  const running = await Promise.all(
    Array.from({ length: rounds }, async (_, index) => {
      const queue = opened.use(await openQueue<ProcessMessage>(settings, streams.process, `${name}-${index}`))
      const own = { queue, blobs, jobs, settling, held, lane: lane.lane, leaseMs: settings.leaseMs }
      return { ended: processUntil(own, stop.signal) }
    }),
  )
  const leaving = new AbortController()
  const beside = [
    forgetEnded(lane.lane, jobs, stop.signal),
    giveSigns(presence, name, () => ({ role: 'processor', concurrency: 0, held: held.size }), leaving.signal),
  ]
  const all = opened.move()
  return {
    name,
    held: () => held.size,
    async stop() {
      leaving.abort()
      await waitForLast(presence, name, settings.graceMs).catch(() => {})
      stop.abort()
      await Promise.allSettled([...running.map(({ ended }) => ended), ...beside])
      await all.disposeAsync()
    },
  }
}

/** The last one goes on until the workers that are stopping too have handed on what they had. */
async function waitForLast(presence: StreamContents, name: string, graceMs: number): Promise<void> {
  await presence.signOut(name)
  const until = systemClock.now() + graceMs
  while (systemClock.now() < until) {
    const others = await presence.workers()
    if (others.some(other => !fetches(other))) return
    const waiting = await presence.entries<ProcessMessage>(streams.process)
    if (others.length === 0 && waiting.length === 0) return
    await systemClock.sleep(lookAgainMs)
  }
}

const lookAgainMs = 100

async function processUntil(parts: ProcessorParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    try {
      await processSome(parts, await parts.queue.receive(messagesAtOnce, waitMs, signal))
    } catch {
      // The queue is away; what was not acknowledged comes again.
      await systemClock.sleep(restMs, signal).catch(() => {})
    }
}

async function processSome(parts: ProcessorParts, deliveries: Delivery<ProcessMessage>[]): Promise<void> {
  if (deliveries.length === 0) return
  const { queue, held, leaseMs, settling } = parts
  const ids = deliveries.map(({ id }) => id)
  for (const id of ids) held.add(id)
  const beat = setInterval(() => void queue.extend(ids).catch(() => {}), leaseMs / 4)
  try {
    settling.mark('proc.after_read')
    const whole = await Array.fromAsync(deliveries, delivery => splitIfSuspect(parts, delivery))
    const left = whole.filter(delivery => delivery !== null)
    for (const [owner, own] of Map.groupBy(left, ({ body }) => body.owner)) await settleAll(parts, owner, own)
    settling.mark('proc.after_commit')
    await queue.ack(left.map(({ id }) => id))
  } finally {
    clearInterval(beat)
    for (const id of ids) held.delete(id)
  }
}

/** Somebody died with it: one of its pages may be why, so from now on each comes alone. */
async function splitIfSuspect(
  { queue }: ProcessorParts,
  delivery: Delivery<ProcessMessage>,
): Promise<Delivery<ProcessMessage> | null> {
  const { id, body } = delivery
  if (delivery.delivery === 1 || body.entries.length === 1) return delivery
  const lost = (body.lost ?? 0) + delivery.delivery - 1
  await queue.send(body.entries.map(entry => ({ owner: body.owner, entries: [entry], lost })))
  await queue.ack([id])
  return null
}

/** Tried until it is written: the store may be away for a while, and the pages are kept. */
async function settleAll(
  parts: ProcessorParts,
  owner: string,
  deliveries: Delivery<ProcessMessage>[],
): Promise<void> {
  const reported = await Array.fromAsync(deliveries, delivery => readAll(parts, delivery))
  const all = reported.flat()
  for (const jobId of new Set(all.map(({ task }) => task.jobId))) await parts.jobs.countTokens(jobId)
  for (let tries = 1; ; tries += 1)
    try {
      return await settleGroup(parts.settling, owner, all)
    } catch (error) {
      const { code } = asFailure(error)
      if (code !== 'store.busy' || tries >= mostTries) throw error
      await systemClock.sleep(restMs)
    }
}

const mostTries = 120

async function readAll(
  parts: ProcessorParts,
  { body, delivery }: Delivery<ProcessMessage>,
): Promise<Reported[]> {
  const deaths = (body.lost ?? 0) + delivery - 1
  const entries = body.entries.map(({ task, report }) => ({ task, report: unpackReport(report) }))
  await openJobs(parts, entries)
  const isKnown = ({ task }: { task: TimedTask }) => parts.lane.job(task.jobId) !== undefined
  const known = entries.filter(isKnown)
  await dropPagesOf(
    parts.blobs,
    entries.filter(entry => !isKnown(entry)),
  )
  if (deaths >= poisonAfter) return known.map(entry => withJob(parts, entry.task, poisoned(entry, deaths)))
  const pages = await pagesOf(parts.blobs, known)
  const reported: Reported[] = []
  for (const { task, report } of known)
    reported.push({
      ...withJob(parts, task, await readOne(parts, task, report, pages)),
      wasRead: report.unread ?? false,
    })
  return reported
}

async function dropPagesOf(blobs: Blobs, entries: Array<{ report: TaskReport }>): Promise<void> {
  const keys = new Set(entries.flatMap(({ report }) => report.raw?.key ?? []))
  await blobs.delete([...keys]).catch(() => {})
}

/** A job that was deleted meanwhile has no tasks to settle. */
async function openJobs({ lane, jobs }: ProcessorParts, entries: Array<{ task: TimedTask }>): Promise<void> {
  for (const jobId of new Set(entries.map(({ task }) => task.jobId))) {
    if (lane.job(jobId)) continue
    const job = await jobs.get(jobId).catch(error => {
      if (asFailure(error).code === 'job.unknown') return null
      throw error
    })
    if (job) lane.openJob(job)
  }
}

const poisoned = ({ task, report }: { task: TimedTask; report: TaskReport }, times: number): TaskReport => ({
  ...failedReport(
    task,
    new Failure('task.poison', `${times} processors ended while they read it`),
    report.endedAt,
  ),
  raw: report.raw,
})

type Kept = Map<string, Page | Failure>

async function pagesOf(blobs: Blobs, entries: Array<{ report: TaskReport }>): Promise<Kept> {
  const refs = entries.flatMap(({ report }) => (report.unread && report.raw ? [report.raw] : []))
  const pages: Kept = new Map()
  for await (const { ref, page } of readKeptPages(blobs, refs)) pages.set(placeOf(ref), page)
  return pages
}

const placeOf = ({ key, offset }: BlobRef): string => `${key} ${offset}`

async function readOne(
  { lane }: ProcessorParts,
  task: TimedTask,
  report: TaskReport,
  pages: Kept,
): Promise<TaskReport> {
  if (!report.unread || report.failure) return report
  const page = report.raw && pages.get(placeOf(report.raw))
  if (!page || page instanceof Failure)
    return failedReport(
      task,
      page ?? new Failure('storage.failed', 'the page was not kept'),
      systemClock.now(),
    )
  return runProcessTask(systemClock, lane.job(task.jobId)!, task, report, page)
}

function withJob({ lane }: ProcessorParts, task: TimedTask, report: TaskReport): Reported {
  const { job, scope, canonical } = lane.job(task.jobId)!
  return { task, report, job: { kind: job.kind, spec: job.spec, scope, canonical, isOpen: true } }
}

async function forgetEnded(lane: Lane, jobs: KnownJobs, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await systemClock.sleep(lookEveryMs, signal).catch(() => {})
    for (const jobId of await jobs.takeEnded(() => false)) void lane.closeJob(jobId)
  }
}
