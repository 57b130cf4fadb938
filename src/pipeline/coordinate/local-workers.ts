// Workers in this process: tasks go to its lanes through queues in memory. When the process ends, the tasks return to pending.
import { hashOf } from '../../lib/text/string-hash.ts'
import { hasEnded, type Job } from '../../model/job.ts'
import type { TaskBatch, TimedTask } from '../../model/lane.ts'
import type { Queue } from '../../ports/queue.ts'
import type { LastSteps, Workers, WorkersContext } from './context.ts'
import { HostLanes } from './host-lanes.ts'
import type { RunningJob } from './running-job.ts'

/** The lanes that get tasks. Their number may change. */
interface RunningLanes {
  count(): number
  /** How many tasks a lane has that it has not reported. */
  tasksOf(lane: number): number
}

interface LocalWorkersParts {
  /** One queue per lane, so that one lane gets all requests to a host with a rate. */
  queues: ReadonlyArray<Queue<TaskBatch>>
  lanes: RunningLanes
  /** Tasks that need a browser. */
  browserQueue: Queue<TaskBatch>
  ingest: (running: RunningJob) => Promise<void>
}

const extraTasks = 512
/** How often host states are committed while tasks are in flight and there is no report. */
const idleCommitMs = 50
/** With this many hosts per lane, tasks are divided by host, and every lane still has enough work. */
const manyForLane = 8
const drainEveryMs = 20

export class LocalWorkers implements Workers {
  readonly isReachable = true
  readonly extraTasks = extraTasks
  readonly releaseEveryMs = 0
  readonly #parts: LocalWorkersParts
  readonly #hostLanes = new HostLanes()

  constructor(parts: LocalWorkersParts) {
    this.#parts = parts
  }

  mostPerHost(most: number): number {
    return most
  }

  isIdleCommitDue({ inFlight }: WorkersContext, sinceMs: number): boolean {
    return inFlight.size === 0 || sinceMs >= idleCommitMs
  }

  startValidMs(): undefined {
    return undefined
  }

  permitValidMs(): undefined {
    return undefined
  }

  async send(context: WorkersContext, tasks: TimedTask[]): Promise<void> {
    const { queues, browserQueue } = this.#parts
    const rendered = tasks.filter(task => task.way === 'browser')
    if (rendered.length > 0) await browserQueue.send([{ tasks: rendered }])
    for (const [index, batch] of this.#divide(context, tasks).entries())
      if (batch.length > 0) await queues[index]!.send([{ tasks: batch }])
  }

  /** Divides tasks among the lanes. All tasks of a host with a rate go to the same lane, which spaces them. With many
   *  hosts, this applies to every host, so that a host's connections are reused. Every other task goes to the lane that has
   *  the fewest tasks. */
  #divide({ hosts, inFlight }: WorkersContext, tasks: TimedTask[]): TimedTask[][] {
    const { lanes } = this.#parts
    const batches = Array.from({ length: lanes.count() }, (): TimedTask[] => [])
    this.#hostLanes.useLanes(batches.length, () => inFlight.values().map(({ task }) => task.host))
    const counts = countByHost(tasks)
    const isBusy = (host: string) => hosts.inFlightAt(host) > counts.get(host)!
    const byHost = hostsIn(tasks) >= batches.length * manyForLane
    const sizes = batches.map((_, lane) => lanes.tasksOf(lane))
    const laneOf = ({ host, gapMs }: TimedTask): number => {
      if (gapMs > 0) return this.#hostLanes.laneOf(host, () => isBusy(host))
      return byHost ? hashOf(host) % batches.length : smallest(sizes)
    }
    for (const task of tasks) {
      if (task.way !== 'http') continue
      const lane = laneOf(task)
      batches[lane]!.push(task)
      sizes[lane]! += 1
    }
    return batches
  }

  ingest(_: WorkersContext, running: RunningJob): Promise<void> {
    return this.#parts.ingest(running)
  }

  async sweep(): Promise<void> {}

  async extendLeases({ store, clock, settings }: WorkersContext): Promise<void> {
    await store.tasks.extend(settings.owner, clock.now() + settings.leaseMs)
  }

  /** Does nothing, because tasks of an earlier process are requeued when this process starts. */
  async resume(): Promise<void> {}

  mayHaveLeftOrphans(): boolean {
    return false
  }

  leavesOrphan(): boolean {
    return false
  }

  recheckOrphans(): void {}

  /** Within the grace period, finishes the jobs for which a caller waits, and the tasks in flight. */
  async drain(context: WorkersContext, steps: LastSteps): Promise<void> {
    await steps.runQueued()
    const deadline = Date.now() + context.settings.graceMs
    await this.#answerCallers(context, deadline, steps)
    while (context.inFlight.size > 0 && Date.now() < deadline) {
      await steps.commit()
      if (context.inFlight.size > 0) await new Promise(resolve => setTimeout(resolve, drainEveryMs))
    }
  }

  /** Continues the jobs for which a caller waits, at most until `deadline`. All other jobs start no more tasks. */
  async #answerCallers(
    { jobs, dispatcher }: WorkersContext,
    deadline: number,
    steps: LastSteps,
  ): Promise<void> {
    const isAwaited = ({ answerBy, job }: RunningJob) => answerBy !== null || isAwaitedMap(job)
    for (const running of jobs.values()) if (!isAwaited(running)) dispatcher.suspend(running.id, null)
    while (jobs.values().some(isAwaited) && Date.now() < deadline) await steps.turn()
  }

  /** Returns tasks in flight to pending and pauses unfinished jobs. The next process resumes them. */
  handBack(context: WorkersContext): Array<() => Promise<void>> {
    const tasks = [...context.inFlight.values().map(({ task }) => task)]
    return [
      () => context.store.tasks.release(context.settings.owner, tasks),
      ...[...context.jobs.values()].map(running => () => interrupt(context, running)),
    ]
  }
}

/** Whether the job is a map whose caller waits for the list of URLs. */
const isAwaitedMap = ({ kind, face }: Job): boolean =>
  kind === 'map' && (face === 'firecrawl' || face === 'mcp')

async function interrupt({ store, clock, emit }: WorkersContext, { id: jobId }: RunningJob): Promise<void> {
  const job = await store.jobs.get(jobId)
  if (!job || hasEnded(job.state) || job.state === 'paused') return
  const reason = 'interrupted'
  await store.jobs.move(jobId, ['pending', 'running'], 'paused', { reason, at: clock.now() })
  emit('job.moved', { jobId, to: 'paused', reason })
}

/** Roughly the number of hosts. It counts changes of host from task to task, because tasks of one host are usually adjacent. */
const hostsIn = (tasks: readonly TimedTask[]): number =>
  tasks.reduce((count, { host }, index) => count + Number(tasks[index - 1]?.host !== host), 0)

/** How many requests of these tasks each host counts as in flight. A task with a cached response sends none. */
function countByHost(tasks: readonly TimedTask[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { host, answer } of tasks) counts.set(host, (counts.get(host) ?? 0) + (answer?.isFresh ? 0 : 1))
  return counts
}

const smallest = (sizes: readonly number[]): number => sizes.indexOf(Math.min(...sizes))
