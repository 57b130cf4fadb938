// The context of a coordinator, with real dependencies if they are cheap: a SQLite store, the host table and the dispatcher. The
// test controls the lanes and the time.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemoryQueue } from '../../src/adapters/memory/queue.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { RenderMemory } from '../../src/dispatch/render-memory.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { FakeClock } from '../../src/lib/clocks.ts'
import type { Events } from '../../src/model/events.ts'
import { type JobSpecInput, jobSpec } from '../../src/model/job.ts'
import type { RobotsReport, TaskBatch, TaskReport, TimedTask } from '../../src/model/lane.ts'
import { type HostPolicyInput, hostPolicy } from '../../src/model/policy/policy.ts'
import type { NewTask } from '../../src/model/task.ts'
import { ConductRules } from '../../src/pipeline/coordinate/conduct-rules.ts'
import type { CoordinatorContext, Lanes } from '../../src/pipeline/coordinate/context.ts'
import { RobotsGate } from '../../src/pipeline/coordinate/hosts/robots-gate.ts'
import { InFlightTasks } from '../../src/pipeline/coordinate/in-flight.ts'
import { LocalWorkers } from '../../src/pipeline/coordinate/local-workers.ts'
import { RemoteWorkers, type WorkerLink } from '../../src/pipeline/coordinate/remote-workers.ts'
import { RunningJob } from '../../src/pipeline/coordinate/running-job.ts'
import { allHosts } from '../../src/pipeline/coordinate/shards.ts'
import { ingestLocally } from '../../src/pipeline/submit/ingest-job.ts'
import { type SubmitOptions, submitJob } from '../../src/pipeline/submit/submit-job.ts'
import type { Queue } from '../../src/ports/queue.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'
import { Registry } from '../../src/scraper/registry.ts'
import { MapBlobs } from './results-parts.ts'

export interface TestContext extends AsyncDisposable {
  context: CoordinatorContext
  clock: FakeClock
  blobs: MapBlobs
  delivered: TaskReport[]
  emitted: Array<{ name: keyof Events; event: Events[keyof Events] }>
  /** The robots.txt of each origin. Other origins have none. */
  robots: Map<string, string | RobotsReport>
  /** Origins whose robots.txt was requested, in order. */
  robotsAsked: string[]
  stop: AbortController
  /** Adopts a job as the coordinator does, without running it. */
  adopt(spec: JobSpecInput, options?: SubmitOptions): Promise<RunningJob>
  /** The tasks that were given to the lanes so far. */
  sent(): Promise<TimedTask[]>
  /** The tasks that were given to the browser lane. */
  sentToBrowser(): Promise<TimedTask[]>
  /** Runs the tasks in other processes, as in a cluster. */
  useRemoteWorkers(link?: WorkerLink): void
}

export interface TestContextOptions {
  policy?: HostPolicyInput
  settings?: Partial<CoordinatorContext['settings']>
  denyHosts?: string[]
  scrapers?: Scraper[]
}

export async function openTestContext(options: TestContextOptions = {}): Promise<TestContext> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-context-'))
  const clock = new FakeClock()
  const store = await openSqliteStore({ path: join(folder, 'store.sqlite'), clock })
  const blobs = new MapBlobs()
  const delivered: TaskReport[] = []
  const emitted: TestContext['emitted'] = []
  const robots: TestContext['robots'] = new Map()
  const robotsAsked: string[] = []
  const stop = new AbortController()
  const policy = hostPolicy.parse(options.policy ?? {})
  const hosts = new HostTable({ policyFor: () => policy })
  const queue = openMemoryQueue<TaskBatch>({ clock, leaseMs: 3_600_000 })
  const browserQueue = openMemoryQueue<TaskBatch>({ clock, leaseMs: 3_600_000 })
  const lanes: Lanes = {
    count: 1,
    openJob: () => {},
    closeJob: () => {},
    cancelJob: () => {},
    fetchRobots: async origin => {
      robotsAsked.push(origin)
      return robotsReport(origin, robots.get(origin), clock.now())
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const context: CoordinatorContext = {
    store,
    blobs,
    clock,
    random: () => 0.5,
    emit: (name, event) => void emitted.push({ name, event }),
    mark: () => {},
    hosts,
    dispatcher: new Dispatcher({ hosts }),
    robots: new RobotsGate({ store: store.hosts, clock }),
    conduct: new ConductRules(
      { policyFor: () => policy, setOverrides: () => [] },
      { denyHosts: options.denyHosts ?? [], allowHosts: [] },
    ),
    gate: new EgressGate({ allowPrivate: [] }),
    registry: new Registry(options.scrapers),
    lanes,
    workers: new LocalWorkers({
      ...{ queues: [queue], browserQueue, lanes: { count: () => 1, tasksOf: () => 0 } },
      ingest: running => ingestLocally(context, running),
    }),
    shards: allHosts,
    renderMemory: new RenderMemory(),
    settings: { ...testSettings, ...options.settings },
    startedAt: clock.now(),
    jobs: new Map(),
    inFlight: new InFlightTasks(),
    deliver: reports => void delivered.push(...reports),
    stopping: stop.signal,
  }
  return {
    context,
    clock,
    blobs,
    delivered,
    emitted,
    robots,
    robotsAsked,
    stop,
    adopt: (spec, submit) => adopt(context, spec, submit),
    sent: () => sentTo(queue),
    sentToBrowser: () => sentTo(browserQueue),
    useRemoteWorkers: (link = quietLink) => {
      context.workers = new RemoteWorkers({ link, httpQueue: queue, browserQueue })
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const quietLink: WorkerLink = {
  ...{ isReachable: true, workerCount: 1 },
  ...{ sweep: async () => {}, ingest: async () => {}, handBack: async () => {} },
}

const testSettings: CoordinatorContext['settings'] = {
  owner: 'test',
  concurrency: 8,
  leaseMs: 60_000,
  sweepMs: 1_000,
  graceMs: 1_000,
  minFreeBytes: 0,
  obeyRobots: true,
}

async function adopt(
  context: CoordinatorContext,
  spec: JobSpecInput,
  options: SubmitOptions = {},
): Promise<RunningJob> {
  const job = await submitJob(context, jobSpec.parse(spec), options)
  const { id, kind, workspace } = job
  const lane = { id, kind, workspace, spec: job.spec, userAgent: 'kscrape/1', cookies: null, slots: 8 }
  await context.store.jobs.move(job.id, ['pending'], 'running')
  const running = new RunningJob(
    { ...job, state: 'running' },
    lane,
    await context.store.jobs.counts(job.id),
    context.settings,
    { inFlight: () => context.inFlight.countOf(job.id) },
  )
  context.jobs.set(job.id, running)
  const { robots, ...host } = running.hostPolicy(8)
  context.dispatcher.open({
    id: job.id,
    createdAt: job.createdAt,
    single: false,
    policy: { ...job.spec.policy, host, robots },
    remaining: () => running.open,
    allowance: () => running.allowance(8, context.clock.now()),
  })
  for (const { host: name, count } of await context.store.tasks.pendingHosts(job.id))
    context.dispatcher.addWork(job.id, name, count)
  return running
}

async function sentTo(queue: Queue<TaskBatch>): Promise<TimedTask[]> {
  const deliveries = await queue.receive(100, 0, new AbortController().signal)
  return deliveries.flatMap(({ body }) => body.tasks)
}

function robotsReport(origin: string, answer: string | RobotsReport | undefined, now: number): RobotsReport {
  if (typeof answer === 'object') return answer
  return {
    origin,
    status: answer === undefined ? 404 : 200,
    body: answer ?? '',
    maxAgeMs: null,
    failure: null,
    startedAt: now,
    sentAt: now,
    endedAt: now,
  }
}

export const someNewTask = (url: string, change: Partial<NewTask> = {}): NewTask => ({
  key: BigInt(url.length),
  kind: 'page',
  url,
  host: new URL(url).host,
  depth: 0,
  priority: 0,
  parent: null,
  input: null,
  itemId: null,
  ...change,
})

export const openTestQueue = (): Queue<TaskBatch> =>
  openMemoryQueue<TaskBatch>({ clock: new FakeClock(), leaseMs: 60_000 })

/** Lets all pending callbacks of the event loop run. */
export const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0))
