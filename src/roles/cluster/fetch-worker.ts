// http-worker and browser-worker: receive tasks from their stream, fetch, store the pages and send them to the processors.

import { operatorProxies } from '../../config/operator-proxies.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Listener } from '../../lib/emitter.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { shardOf } from '../../lib/shard-of.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { type ProcessMessage, streams } from '../../model/cluster-messages.ts'
import type { BrowserPool } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { RobotsReport, TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import { robotsKey, robotsReader } from '../../pipeline/coordinate/hosts/robots-reader.ts'
import { fetchedPage, type Reported } from '../../pipeline/coordinate/settle/settle-reports.ts'
import { FetchLoop } from '../../pipeline/work/fetch-loop.ts'
import { robotsFailed } from '../../pipeline/work/fetch-robots.ts'
import type { Lane } from '../../pipeline/work/lane/lane.ts'
import { packReport } from '../../pipeline/work/pack-report.ts'
import { failedReport } from '../../pipeline/work/task-report.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Queue } from '../../ports/queue.ts'
import type { WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { browserStartOf } from '../lanes/browser-settings.ts'
import { openLane } from '../lanes/open-lane.ts'
import { laneStart } from '../lanes/open-lanes.ts'
import { AnswerNotifier } from './answer-notifier.ts'
import { distantPermits } from './distant-permits.ts'
import { type ClusterEvent, type RobotsQuestion, robotsService } from './messages.ts'
import { answeredByShard, hint, notifyAll } from './notify-shards.ts'
import { sendHeartbeats, signOut } from './presence.ts'
import { answerChecks } from './proxy-checks.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import { openBus, openQueue } from './services.ts'
import { type SettlingParts, settleGroup } from './settling.ts'
import { type KnownJobs, maintainJobs, settlingJobIn } from './task-services/known-jobs.ts'
import type { AskRobotsOnce } from './task-services/robots-once.ts'
import { openTaskServices } from './task-services/task-services.ts'

/** A worker gathers pages for up to `ms` milliseconds, or up to `count` pages, into one segment, so that S3 has few objects.
 *  Pages that a caller waits for are written at once. */
const gather = { ms: 1_000, count: 256, lastMs: 20 }
/** Tasks received per concurrent request, so that the lane always has a next task. */
const aheadFactor = 2

export const httpWorker = (parts: RoleParts): Promise<Running> => startWorker(parts, 'http-worker')
export const browserWorker = (parts: RoleParts): Promise<Running> => startWorker(parts, 'browser-worker')

async function startWorker(parts: RoleParts, role: 'http-worker' | 'browser-worker'): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  const { settings } = parts
  const isBrowser = role === 'browser-worker'
  const services = await openTaskServices(opened, parts, role)
  const { name, data, blobs, calls, presence, jobs, settling, shared, askRobotsOnce } = services
  const bus = isBrowser ? opened.use(await openBus(settings)) : null
  const queue = opened.use(
    await openQueue<TaskBatch>(settings, isBrowser ? streams.browser : streams.http, name),
  )
  const processQueue = opened.use(await openQueue<ProcessMessage>(settings, streams.process, name))
  const stop = new AbortController()
  const askPermit = distantPermits(calls, systemClock, settings.shards)
  const answered = opened.use(
    new AnswerNotifier(ended => {
      for (const [shard, tasks] of answeredByShard(ended, settings.shards))
        hint(calls, shard, { say: 'answered', tasks })
    }),
  )
  let loop: FetchLoop
  const lane = opened.use(
    await openLane(
      laneStart(
        { settings, scraperFiles: parts.scraperFiles, data },
        name,
        isBrowser ? browserStartOf(settings) : null,
      ),
      {
        ...{ askPermit, registry: parts.registry, emit: parts.emit, blobs, gather, ...shared },
        ...(bus && { bus }),
        leavesReading: !isBrowser,
        mayBegin: task => loop.mayBegin(task),
        onLate: ({ host }, at) => hint(calls, shardOf(host, settings.shards), { say: 'sent-late', host, at }),
        ended: (job, task, report) => {
          parts.emit('page.fetched', fetchedPage(task, report))
          answered.ended(job.spec, task, report)
        },
        report: reports => loop.reported(reports),
      },
    ),
  )
  loop = new FetchLoop({
    ...{ queue, clock: systemClock, leaseMs: settings.leaseMs },
    mostHeld: settings.concurrency * aheadFactor,
    run: tasks => {
      parts.mark('worker.after_claim')
      void runTasks(lane.lane, jobs, tasks, reports => loop.reported(reports))
    },
    giveBack: (owner, tasks) => data.store.tasks.release(owner, tasks),
    // A lost message does no harm, because the worker sends it again at the next heartbeat.
    reportInFlight: keys => void notifyAll(calls, settings.shards, { say: 'in-hand', keys }).catch(() => {}),
    handOn: (owner, reported) => handOn({ settling, processQueue, lane: lane.lane }, owner, reported),
  })
  let pool: Pick<WorkerHeartbeat, 'browserPool'> = {}
  const hear: Listener = (event, told) => {
    if (isBrowser && event === 'browser.counted') pool = { browserPool: told as BrowserPool }
  }
  opened.defer(parts.events.listen(hear))
  // Drop the loaded job. If a task of it arrives later, the job is loaded again, because it may have been retried.
  const cancel = (jobId: string) => {
    jobs.forget(jobId)
    lane.lane.cancelJob(jobId)
  }
  const heed = ({ cancelled }: ClusterEvent) => cancelled && cancel(cancelled.jobId)
  opened.defer(await calls.listen(heed))
  const sign = () => ({ role, concurrency: settings.concurrency, held: loop.held, ...pool })
  const running = [
    loop.run(stop.signal),
    sendHeartbeats(presence, name, sign, stop.signal),
    maintainJobs({ lane: lane.lane, jobs, onCancelled: cancel }, stop.signal),
    answerRobots(
      { calls, lane: lane.lane, jobs, askRobotsOnce, usualAgent: userAgentOf(settings) },
      stop.signal,
    ),
    answerChecks({ calls, jobs, operator: operatorProxies(settings), settings }, stop.signal),
  ]
  const all = opened.move()
  return {
    name,
    held: () => loop.held,
    ...(!isBrowser && { concurrency: settings.concurrency }),
    async stop(graceMs) {
      stop.abort()
      const late = setTimeout(() => {
        loop.hurry()
        void lane.lane[Symbol.asyncDispose]()
      }, graceMs)
      await settledWithin(Promise.allSettled(running), graceMs + handBackMs)
      clearTimeout(late)
      await signOut(presence, name)
      await all.disposeAsync()
    },
  }
}

/** Runs the tasks. Opens a job in the lane when its first task arrives. */
async function runTasks(
  lane: Lane,
  jobs: KnownJobs,
  tasks: TimedTask[],
  report: (reports: TaskReport[]) => void,
): Promise<void> {
  for (const [jobId, own] of Map.groupBy(tasks, task => task.jobId)) {
    try {
      if (!lane.job(jobId)) lane.openJob(await jobs.toFetch(jobId))
      lane.run({ tasks: own })
    } catch (error) {
      const failure = asFailure(error)
      report(own.map(task => failedReport(task, failure, systemClock.now())))
    }
  }
}

interface HandOnParts {
  settling: SettlingParts
  processQueue: Queue<ProcessMessage>
  lane: Lane
}

/** If a caller waits for a page, commits the page at once. Sends all other pages to the processors, with one message per
 *  segment. */
async function handOn(
  { settling, processQueue, lane }: HandOnParts,
  owner: string,
  reported: Array<{ task: TimedTask; report: TaskReport }>,
): Promise<void> {
  settling.mark('worker.after_fetch_before_store')
  const awaited = reported.filter(({ task, report }) => task.isAwaited && !report.unread)
  const known: Reported[] = awaited.flatMap(one => {
    const job = settlingJobIn(lane, one.task.jobId)
    return job ? [{ ...one, job }] : []
  })
  await settleGroup(settling, owner, known)
  const settled = new Set(known.map(({ report }) => report))
  const rest = reported.filter(({ report }) => !settled.has(report))
  if (rest.length === 0) return
  const entries = rest.map(({ task, report }) => ({ task, report: packReport(report) }))
  await processQueue.send([{ owner, entries }])
  settling.mark('worker.after_hand_on_before_ack')
}

interface RobotsParts {
  calls: Calls
  lane: Lane
  jobs: KnownJobs
  askRobotsOnce: AskRobotsOnce
  usualAgent: string
}

async function answerRobots(parts: RobotsParts, signal: AbortSignal): Promise<void> {
  await parts.calls.serve(
    robotsService,
    (question: RobotsQuestion) => robotsOf(parts, question, signal),
    signal,
  )
}

async function robotsOf(
  { lane, jobs, askRobotsOnce, usualAgent }: RobotsParts,
  { jobId, origin, identity }: RobotsQuestion,
  signal: AbortSignal,
): Promise<RobotsReport> {
  const notAsked = (why: string) =>
    robotsFailed(origin, systemClock.now(), new Failure('worker.stopping', why))
  try {
    if (!lane.job(jobId)) lane.openJob(await jobs.get(jobId))
  } catch (error) {
    // The store is down, or the job was deleted. The site got no request, so other jobs may still request its
    // robots.txt.
    return notAsked(asFailure(error).message)
  }
  const job = lane.job(jobId)
  if (!job || signal.aborted) return notAsked('the worker is stopping')
  const key = robotsKey(origin, robotsReader(job.job, usualAgent))
  return askRobotsOnce(key, () => lane.fetchRobots(jobId, origin, identity))
}
