// processor: parses the pages that workers stored, and commits the results in groups.

import { systemClock } from '../../lib/clocks.ts'
import { politeWork } from '../../lib/polite-work.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { type ProcessMessage, streams } from '../../model/cluster-messages.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { BlobRef } from '../../model/page/page.ts'
import type { Reported } from '../../pipeline/coordinate/settle/settle-reports.ts'
import { emitReadSpan } from '../../pipeline/coordinate/spans.ts'
import type { Lane } from '../../pipeline/work/lane/lane.ts'
import { unpackReport } from '../../pipeline/work/pack-report.ts'
import type { Losses } from '../../pipeline/work/redelivery.ts'
import { runProcessTask } from '../../pipeline/work/run-process-task.ts'
import { failedReport } from '../../pipeline/work/task-report.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { neverLapses } from '../../ports/permits.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import { type BroughtPages, bringPages } from '../../results/read-page.ts'
import { openLane } from '../lanes/open-lane.ts'
import { laneStart } from '../lanes/open-lanes.ts'
import { fetches, processes, sendHeartbeats } from './presence.ts'
import { ProcessLoop } from './process-loop.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import { openQueue } from './services.ts'
import { type SettlingParts, settleGroup } from './settling.ts'
import { type KnownJobs, maintainJobs, settlingJobIn } from './task-services/known-jobs.ts'
import { openTaskServices } from './task-services/task-services.ts'

interface ProcessorParts {
  lane: Lane
  jobs: KnownJobs
  settling: SettlingParts
}

export async function processor(parts: RoleParts): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  const { settings } = parts
  const services = await openTaskServices(opened, parts, 'processor')
  const { name, data, blobs, presence, jobs, settling, shared } = services
  const lane = opened.use(
    await openLane(laneStart({ data, settings, scraperFiles: parts.scraperFiles }, name, null), {
      ...{ registry: parts.registry, emit: parts.emit, blobs, ...shared },
      askPermit: async () => neverLapses,
      report: () => {},
    }),
  )
  const stop = new AbortController()
  const queue = opened.use(await openQueue<ProcessMessage>(settings, streams.process, name))
  const own = { jobs, settling, lane: lane.lane }
  const loop = new ProcessLoop({
    ...{ queue, clock: systemClock, leaseMs: settings.leaseMs },
    bring: message => bringPages(blobs, unreadIn(message)),
    read: (message, brought, losses) => readAll(own, message, brought, losses),
    settle: (owner, reported) => settleAll(own, owner, reported),
  })
  const leaving = new AbortController()
  const sign = () => ({ role: 'processor', concurrency: 0, held: loop.held })
  const signs = sendHeartbeats(presence, name, sign, leaving.signal)
  const running = [loop.run(stop.signal), maintainJobs({ lane: lane.lane, jobs }, stop.signal)]
  const all = opened.move()
  return {
    name,
    held: () => loop.held,
    async stop(graceMs) {
      const until = systemClock.now() + graceMs
      leaving.abort()
      // Wait until the heartbeat loop has ended. A later heartbeat would list this process as alive again.
      await signs
      // Workers that exceed their grace period abort their tasks and then send the pages. Wait for these pages as well.
      await waitForLast(presence, name, until + handBackMs / 2).catch(() => {})
      stop.abort()
      await settledWithin(Promise.allSettled(running), until + handBackMs - systemClock.now())
      await all.disposeAsync()
    },
  }
}

/** If this is the last processor, waits until the stopping workers have sent their pages. */
async function waitForLast(presence: StreamContents, name: string, until: number): Promise<void> {
  await presence.signOut(name)
  while (systemClock.now() < until) {
    const others = await presence.workers()
    if (others.some(processes)) return
    const waiting = await presence.entries<ProcessMessage>(streams.process)
    if (!others.some(fetches) && waiting.length === 0) return
    await systemClock.sleep(lookAgainMs)
  }
}

const lookAgainMs = 100

async function settleAll({ settling }: ProcessorParts, owner: string, reported: Reported[]): Promise<void> {
  await settleGroup(settling, owner, reported)
  settling.mark('proc.after_commit')
}

const unreadIn = ({ entries }: ProcessMessage): BlobRef[] =>
  entries.flatMap(({ report }) => (report.unread && report.raw ? [report.raw] : []))

async function readAll(
  parts: ProcessorParts,
  { entries }: ProcessMessage,
  pageOf: BroughtPages,
  losses: Losses,
): Promise<Reported[]> {
  const { lane, settling } = parts
  settling.mark('proc.after_read')
  const all = entries.map(({ task, report }) => ({ task, report: unpackReport(report) }))
  await openJobs(parts, all)
  const isKnown = ({ task }: { task: TimedTask }) => lane.job(task.jobId) !== undefined
  const known = all.filter(isKnown)
  await dropPagesOf(
    settling.blobs,
    all.filter(entry => !isKnown(entry)),
  )
  const jobOf = ({ jobId }: TimedTask) => settlingJobIn(lane, jobId)!
  if (losses.isPoison)
    return known.map(entry => ({
      task: entry.task,
      report: poisoned(entry, losses.count),
      job: jobOf(entry.task),
    }))
  const rest = politeWork()
  const reported: Reported[] = []
  for (const { task, report } of known) {
    const startedAt = systemClock.now()
    const isUnread = report.unread && !report.failure
    const read = isUnread ? await readOne(lane, task, report, pageOf) : report
    if (isUnread && task.trace) emitReadSpan(settling.emit, task, read, startedAt)
    reported.push({ task, report: read, job: jobOf(task), wasRead: report.unread ?? false })
    await rest()
  }
  return reported
}

async function dropPagesOf(blobs: Blobs, entries: Array<{ report: TaskReport }>): Promise<void> {
  const keys = new Set(entries.flatMap(({ report }) => report.raw?.key ?? []))
  await blobs.delete([...keys]).catch(() => {})
}

async function readOne(
  lane: Lane,
  task: TimedTask,
  report: TaskReport,
  pageOf: BroughtPages,
): Promise<TaskReport> {
  const notKept = () => new Failure('storage.failed', 'the page was not stored')
  const page = report.raw ? pageOf(report.raw) : notKept()
  if (page instanceof Failure) return failedReport(task, page, systemClock.now())
  return runProcessTask(systemClock, lane.job(task.jobId)!, task, report, page)
}

/** Opens the jobs of all entries. A deleted job is skipped, because it has no tasks to settle. */
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
    new Failure('task.poison', `${times} processors died while they parsed it`),
    report.endedAt,
  ),
  raw: report.raw,
})
