// The engine in one process: opens the parts on a data directory, takes jobs, and runs them to their end.
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { openMemoryQueue } from '../adapters/memory/queue.ts'
import type { Loaded } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { HostTable } from '../dispatch/host-table.ts'
import { EgressGate, parseCookieFile } from '../fetch/http/index.ts'
import { systemClock } from '../lib/clocks.ts'
import { Emitter, type Listener } from '../lib/emitter.ts'
import { readTextFile } from '../lib/text-file.ts'
import { Failure } from '../model/failures.ts'
import { hasEnded, type Job, type JobCounts, type JobSpec } from '../model/job.ts'
import type { TaskBatch, TaskReport } from '../model/lane.ts'
import { answerPermits } from '../pipeline/answer-permits.ts'
import { Coordinator, poisonAfter } from '../pipeline/coordinator.ts'
import type { Desk, Lanes } from '../pipeline/desk.ts'
import { OutputFollower } from '../pipeline/follow-outputs.ts'
import { RobotsGate } from '../pipeline/robots-gate.ts'
import { type SubmitOptions, submitJob } from '../pipeline/submit-job.ts'
import { type Runner, WorkLoop } from '../pipeline/work-loop.ts'
import type { Scraper } from '../scraper/define-scraper.ts'
import type { Registry } from '../scraper/registry.ts'
import { type DataDirectory, ownDataDirectory } from './data-directory.ts'
import { hostPolicies } from './host-policies.ts'
import { armKillPoint } from './kill-point.ts'
import type { LaneStart } from './lane-messages.ts'
import { LocalLanes } from './local-lanes.ts'
import { findScraperFiles, loadScrapers } from './scraper-files.ts'
import { ThreadLanes } from './thread-lanes.ts'
import { userAgentOf } from './user-agent.ts'

export interface EngineOptions {
  /** Shown to whoever finds the directory locked. */
  command: string
  /** Asks for a clean stop. */
  stop: AbortSignal
  stdout: Writable
  /** Scrapers handed over as code; they run on the main thread. */
  scrapers?: Scraper[]
  /** How many lanes to open where the settings leave it to us. */
  lanes?: number
}

/** How a job stands, for whoever shows it. */
export interface Progress {
  job: Job
  counts: JobCounts
  inFlight: number
  waiting: ReturnType<Dispatcher['waiting']>
}

export class Engine implements AsyncDisposable {
  readonly registry: Registry
  readonly data: DataDirectory
  readonly #settings: Settings
  readonly #coordinator: Coordinator
  readonly #events: Emitter
  readonly #opened: AsyncDisposableStack

  private constructor(parts: {
    data: DataDirectory
    settings: Settings
    coordinator: Coordinator
    events: Emitter
    registry: Registry
    opened: AsyncDisposableStack
  }) {
    this.data = parts.data
    this.registry = parts.registry
    this.#settings = parts.settings
    this.#coordinator = parts.coordinator
    this.#events = parts.events
    this.#opened = parts.opened
  }

  static async open({ settings, root }: Loaded, options: EngineOptions): Promise<Engine> {
    await using opened = new AsyncDisposableStack()
    const data = opened.use(await ownDataDirectory(settings.dataDir, options.command))
    const scraperFiles = findScraperFiles(root)
    const registry = await loadScrapers(scraperFiles)
    for (const scraper of options.scrapers ?? []) registry.add(scraper)
    const owner = `${process.pid}-${randomBytes(4).toString('hex')}`
    await data.store.tasks.reclaim({ now: systemClock.now(), exceptOwner: owner, poisonAfter })
    const events = new Emitter()
    const parts = { data, settings, registry, events, owner, scraperFiles, options }
    const coordinator = await openCoordinator(opened, parts)
    return new Engine({ data, settings, coordinator, events, registry, opened: opened.move() })
  }

  listen(listener: Listener): () => void {
    return this.#events.listen(listener)
  }

  /** Accepted means durable: when this resolves, a kill loses nothing. */
  async submit(spec: JobSpec, options: SubmitOptions = {}): Promise<Job> {
    const { gate, clock } = this.#coordinator.desk
    const job = await submitJob(
      { store: this.data.store, clock, gate, registry: this.registry },
      spec,
      options,
    )
    await this.#adopt(job)
    return job
  }

  /** Goes on with a job that was stopped, or killed, or paused. */
  async resume(jobId: string): Promise<Job> {
    const job = await this.#known(jobId)
    if (job.state === 'paused')
      await this.data.store.jobs.move(jobId, ['paused'], 'running', { reason: null, resumeAt: null })
    if (hasEnded(job.state))
      throw new Failure(
        'job.wrong-state',
        `job ${jobId} has ended (${job.state}); \`kscrape jobs retry ${jobId}\` runs what failed again`,
        { jobId, state: job.state },
      )
    await this.#adopt(await this.#known(jobId))
    return job
  }

  /** Runs again what failed, and only that. */
  async retry(jobId: string): Promise<{ job: Job; reopened: number }> {
    const job = await this.#known(jobId)
    const reopened = await this.data.store.tasks.reopen(
      jobId,
      job.state === 'cancelled' ? ['failed', 'cancelled'] : ['failed'],
    )
    await this.data.store.jobs.move(jobId, [job.state], 'running', { reason: null, resumeAt: null })
    await this.#adopt(await this.#known(jobId))
    return { job, reopened: reopened.reduce((sum, { count }) => sum + count, 0) }
  }

  async #known(jobId: string): Promise<Job> {
    const job = await this.data.store.jobs.get(jobId)
    if (!job)
      throw new Failure(
        'job.unknown',
        `there is no job "${jobId}" in ${this.data.path}; \`kscrape jobs list\` shows what there is`,
        { jobId },
      )
    return job
  }

  async #adopt(job: Job): Promise<void> {
    const userAgent = job.spec.userAgent ?? userAgentOf(this.#settings)
    const cookies = job.spec.cookiesFile
      ? JSON.stringify(parseCookieFile(readTextFile(job.spec.cookiesFile)))
      : null
    await this.#coordinator.adopt(job, {
      id: job.id,
      kind: job.kind,
      spec: job.spec,
      userAgent,
      cookies,
      slots: this.#slotsOf(job),
    })
  }

  /** Without a rate, the lanes share what may be in flight; with one, the host table bounds it. */
  #slotsOf({ spec }: Job): number {
    const concurrency = spec.concurrency ?? this.#settings.concurrency
    const lanes = this.#coordinator.desk.lanes.count
    return spec.policy.host.rate === 'unlimited' ? Math.max(1, Math.floor(concurrency / lanes)) : concurrency
  }

  /** Until every job here has ended, or a stop was asked for. */
  run(): Promise<void> {
    return this.#coordinator.run()
  }

  async progress(jobId: string): Promise<Progress> {
    const { desk } = this.#coordinator
    const job = await this.#known(jobId)
    const counts = await this.data.store.jobs.counts(jobId)
    return {
      job,
      counts,
      inFlight: desk.jobs.get(jobId)?.inFlight ?? 0,
      waiting: desk.dispatcher.waiting(desk.clock.now(), jobId),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

interface CoordinatorInput {
  data: DataDirectory
  settings: Settings
  registry: Registry
  events: Emitter
  owner: string
  scraperFiles: string[]
  options: EngineOptions
}

async function openCoordinator(opened: AsyncDisposableStack, input: CoordinatorInput): Promise<Coordinator> {
  const { data, settings, registry, events, owner, options } = input
  const hosts = new HostTable({ policyFor: hostPolicies(settings) })
  const count = laneCount(input)
  const queues = Array.from({ length: Math.max(1, count) }, () =>
    opened.use(openMemoryQueue<TaskBatch>({ clock: systemClock, leaseMs: 3_600_000 })),
  )
  let coordinator: Coordinator
  const loops: WorkLoop[] = []
  const links = {
    askPermit: (...question: Parameters<ReturnType<typeof answerPermits>>) =>
      answerPermits(coordinator.desk)(...question),
    reported: (index: number, reports: TaskReport[]) => {
      void loops[index]?.reported(reports)
      coordinator.deliver(reports)
    },
    died: (index: number, error: Error) => coordinator.deliver(loops[index]?.abandon(error) ?? []),
  }
  const lanes = opened.use(await openLanes(input, count, links))
  coordinator = new Coordinator(
    {
      store: data.store,
      blobs: data.blobs,
      clock: systemClock,
      random: Math.random,
      emit: events.emit,
      mark: armKillPoint(settings.killPoint),
      hosts,
      dispatcher: new Dispatcher({ hosts }),
      robots: new RobotsGate({ store: data.store.hosts, clock: systemClock }),
      gate: new EgressGate({ allowPrivate: settings.allowPrivate }),
      registry,
      lanes,
      queues,
      settings: { owner, maxRetryAfterMs: 600_000, ...settings },
      startedAt: Date.now(),
      jobs: new Map(),
      held: new Map(),
      stopping: options.stop,
    } satisfies Omit<Desk, 'deliver'>,
    new OutputFollower({
      store: data.store,
      blobs: data.blobs,
      clock: systemClock,
      stdout: options.stdout,
      rawFolder: jobId => join(data.path, 'raw', jobId),
    }),
  )
  startLoops(opened, loops, lanes.runners, queues)
  return coordinator
}

function startLoops(
  opened: AsyncDisposableStack,
  loops: WorkLoop[],
  runners: Runner[],
  queues: ReturnType<typeof openMemoryQueue<TaskBatch>>[],
): void {
  const stop = new AbortController()
  const running = runners.map((runner, index) => {
    const loop = new WorkLoop(queues[index]!, runner)
    loops.push(loop)
    return loop.run(stop.signal)
  })
  opened.defer(async () => {
    stop.abort()
    await Promise.allSettled(running)
  })
}

type OpenedLanes = Lanes & { runners: Runner[] }

async function openLanes(
  input: CoordinatorInput,
  count: number,
  links: ConstructorParameters<typeof ThreadLanes>[1],
): Promise<OpenedLanes> {
  const start = (index: number): LaneStart => ({
    name: `${input.owner}-${index}`,
    blobsRoot: input.data.blobsRoot,
    allowPrivate: input.settings.allowPrivate,
    caFile: input.settings.caFile ?? null,
    scraperFiles: input.scraperFiles,
  })
  if (count === 0) return LocalLanes.open(start(0), input.registry, links)
  return new ThreadLanes(
    Array.from({ length: count }, (_, index) => start(index)),
    links,
  )
}

/** Code handed over as a function can't cross threads; otherwise what was asked for, or what the caller thinks fit. */
function laneCount({ settings, options }: CoordinatorInput): number {
  if (options.scrapers?.length) return 0
  if (settings.lanes !== 'auto') return settings.lanes
  return options.lanes ?? availableParallelism()
}
