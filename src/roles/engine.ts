// The engine in one process: opens its dependencies on a data directory, accepts jobs and runs them.
import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import { openThreadBus } from '../adapters/memory/bus.ts'
import type { Loaded } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { WorkCounts } from '../dispatch/wait-summary.ts'
import { openLedger } from '../extract/llm/token-budget.ts'
import { readCertificates } from '../fetch/http/index.ts'
import { systemClock } from '../lib/clocks.ts'
import { Emitter, type Listener } from '../lib/emitter.ts'
import { settledWithin } from '../lib/settled-within.ts'
import { userAgentOf } from '../lib/user-agent.ts'
import { runRetention } from '../maintain/retention-loop.ts'
import type { AddedWork } from '../model/cluster-messages.ts'
import type { BrowserPool, Emit, Events } from '../model/events.ts'
import { asFailure, Failure, isAway } from '../model/failures.ts'
import type { HostCounts } from '../model/host.ts'
import {
  asksModel,
  type GivenSpec,
  hasEnded,
  type Job,
  type JobSpec,
  type JobSpecInput,
} from '../model/job.ts'
import type { LaneJob } from '../model/lane.ts'
import { poisonAfter } from '../model/task.ts'
import { openTraces } from '../observe/tracing.ts'
import type { Coordinator } from '../pipeline/coordinate/coordinator.ts'
import { controlIdleJob } from '../pipeline/coordinate/job-states/control-idle-job.ts'
import { applyControlRequest, comesTooLate } from '../pipeline/coordinate/job-states/control-requests.ts'
import { refreshConduct } from '../pipeline/coordinate/refresh-conduct.ts'
import type { RunningJob } from '../pipeline/coordinate/running-job.ts'
import { acceptWork } from '../pipeline/coordinate/settle/learn-outcomes.ts'
import { type JobProgress, progressOf } from '../pipeline/report/job-progress.ts'
import { changedSpec } from '../pipeline/submit/job-input.ts'
import type { SubmitOptions } from '../pipeline/submit/submit-job.ts'
import type { Bus } from '../ports/bus.ts'
import type { FetchLayer } from '../ports/fetch.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { RequestKind } from '../ports/store.ts'
import type { Traces } from '../ports/traces.ts'
import type { Scraper } from '../scraper/define-scraper.ts'
import type { Registry } from '../scraper/registry.ts'
import type { HostDirectory, ProxyDirectory } from '../server/parts.ts'
import { AdoptionQueue } from './adoption-queue.ts'
import { browserTroubleOf } from './browser-trouble.ts'
import { type DataDirectory, ownDataDirectory } from './data-directory.ts'
import { hostDirectory } from './host-directory.ts'
import { asItRuns, cookiesOf, sessionCookies } from './job-as-it-runs.ts'
import { browserLookOf } from './lanes/browser-look.ts'
import { noBrowserFor } from './lanes/browser-settings.ts'
import { refuseWithoutModel } from './llm-settings.ts'
import { openCoordinator } from './open-coordinator.ts'
import { refuseSpent } from './policy-rules.ts'
import { refuseClosedPlaces } from './private-addresses.ts'
import { proxyDirectory } from './proxy-directory.ts'
import { findScraperFiles, loadScrapers } from './scrapers/scraper-files.ts'
import { deliverBeforeExit } from './service/send-webhooks.ts'
import { openSessions } from './sessions.ts'
import { StoredJobs } from './stored-jobs.ts'
import { goesOnByItself, unendedJobs } from './unfinished-jobs.ts'

interface EngineOptions {
  /** The command line, which other processes show if they find the directory locked. */
  command: string
  stop: AbortSignal
  stdout: Writable
  /** Scrapers as code; they run on the main thread. */
  scrapers?: Scraper[]
  /** Runs built-in scrapers only. Scraper files are not loaded. */
  withoutFiles?: boolean
  /** Default number of lanes, if the settings have none. */
  lanes?: number
  /** Lane threads start with the first job and end when no job is left. */
  lanesOnDemand?: boolean
  /** Wraps every request, to make a recording. All lanes then run on the main thread. */
  fetchLayer?: FetchLayer
}

export type Progress = JobProgress

/** Maximum number of hosts that are checked when a job is retried. The other hosts are checked when they are fetched. */
const manyHosts = 10_000
const mostElsewhere = 10_000

interface EngineParts {
  data: DataDirectory
  settings: Settings
  coordinator: Coordinator
  events: Emitter
  registry: Registry
  traces: Traces
  opened: AsyncDisposableStack
  /** The additional job data for lanes of this process. Workers of a cluster load it themselves. */
  laneParts: (spec: JobSpec) => Promise<Partial<LaneJob>>
}

/** How long the cancellation of a job without tasks in flight waits for the last files of the job. */
const lastFilesMs = 5_000

export class Engine implements AsyncDisposable {
  readonly hosts: HostDirectory
  readonly proxies: ProxyDirectory
  /** Connects browsers with their clients. */
  readonly bus: Bus
  readonly #jobs: StoredJobs
  readonly #settings: Settings
  readonly #coordinator: Coordinator
  readonly #events: Emitter
  readonly #opened: AsyncDisposableStack
  readonly #laneParts: EngineParts['laneParts']
  #isServing = false
  /** Ids of running jobs with a single page, whose host belongs to another shard. This process does not adopt them. */
  readonly #elsewhere = new Set<string>()
  readonly #adoptions = new AdoptionQueue(jobId => this.#coordinator.inTurn(() => this.#adoptById(jobId)))
  #browserPool: BrowserPool | null = null

  private constructor(parts: EngineParts) {
    const { coordinator } = parts
    const { store, conduct, hosts } = coordinator.context
    this.#jobs = new StoredJobs(parts)
    this.hosts = hostDirectory({
      ...{ store, conduct, hosts, userAgent: userAgentOf(parts.settings) },
      refresh: () =>
        coordinator.inTurn(() => {
          conduct.expire()
          return refreshConduct(coordinator.context)
        }),
    })
    this.proxies = proxyDirectory(parts.coordinator)
    this.#settings = parts.settings
    this.#coordinator = parts.coordinator
    this.#events = parts.events
    this.#opened = parts.opened
    this.bus = parts.opened.use(openThreadBus(parts.data.path))
    this.#laneParts = parts.laneParts
    this.listen((name, event) => {
      if (name === 'browser.counted') this.#browserPool = event as BrowserPool
    })
  }

  get data(): DataDirectory {
    return this.#jobs.data
  }

  get registry(): Registry {
    return this.#jobs.registry
  }

  get sealer(): Sealer {
    return this.#jobs.sealer
  }

  get traces(): Traces {
    return this.#jobs.traces
  }

  static async open({ settings, root }: Loaded, options: EngineOptions): Promise<Engine> {
    // Each lane reads this file itself. Read it now as well, so that an error is reported at the start.
    if (settings.caFile) readCertificates(settings.caFile)
    await using opened = new AsyncDisposableStack()
    const events = new Emitter()
    const traces = await openTraces(opened, settings, { events, does: options.command })
    const data = opened.use(await ownDataDirectory(settings.dataDir, options.command))
    const scraperFiles = options.withoutFiles ? [] : findScraperFiles(root)
    const registry = await loadScrapers(scraperFiles)
    for (const scraper of options.scrapers ?? []) registry.add(scraper)
    const owner = `${process.pid}-${randomBytes(4).toString('hex')}`
    await data.store.tasks.reclaim({ now: systemClock.now(), exceptOwner: owner, poisonAfter })
    const coordinator = await openCoordinator(opened, {
      ...{ data, settings, registry, events, owner, scraperFiles },
      hasOwnScrapers: Boolean(options.scrapers?.length),
      ...{ lanes: options.lanes, lanesOnDemand: options.lanesOnDemand },
      fetchLayer: options.fetchLayer,
      stop: options.stop,
      stdout: options.stdout,
    })
    const laneParts = async (spec: JobSpec) => ({
      ...(await sessionCookies(openSessions(data.path), spec)),
      ...(await noBrowserFor(spec, settings)),
    })
    return new Engine({
      ...{ data, settings, coordinator, events, registry, traces, laneParts },
      opened: opened.move(),
    })
  }

  /** An engine for a process of a cluster. The caller opens and closes its dependencies. */
  static over(parts: Omit<EngineParts, 'opened' | 'laneParts'>): Engine {
    return new Engine({ ...parts, opened: new AsyncDisposableStack(), laneParts: async () => ({}) })
  }

  /** Queues a job that another process accepted, so that this process adopts it. */
  adopt(jobId: string): void {
    const isKnown = this.#coordinator.context.jobs.has(jobId) || this.#elsewhere.has(jobId)
    if (!isKnown) this.#adoptions.soon(jobId)
  }

  /** Like `adopt`, but resolves when the job is adopted. Also adopts a job whose home is another shard. */
  async adoptNow(jobId: string): Promise<void> {
    const { jobs } = this.#coordinator.context
    if (!jobs.has(jobId)) await this.#coordinator.inTurn(() => this.#adoptById(jobId, true))
  }

  listen(listener: Listener): () => void {
    return this.#events.listen(listener)
  }

  get emit(): Emit {
    return this.#events.emit
  }

  /** When the promise resolves, the job is durable, so a kill of the process loses nothing. */
  async submit(spec: GivenSpec, options: SubmitOptions = {}): Promise<Job> {
    const job = await this.#jobs.submit(spec, options)
    if (this.#isServing) this.#adoptions.soon(job.id)
    else await this.#adopt(job)
    return job
  }

  /** Rejects if the job could not be submitted now. Writes nothing. */
  check(spec: GivenSpec, options: SubmitOptions = {}): Promise<void> {
    return this.#jobs.check(spec, options)
  }

  /** Continues a job that was stopped, killed or paused. `change` applies to this run only. */
  async resume(jobId: string, change: JobSpecInput = {}): Promise<Job> {
    const job = await this.#jobs.get(jobId)
    if (hasEnded(job.state))
      throw new Failure(
        'job.wrong-state',
        `job ${jobId} has ended (${job.state}); \`kscrape jobs retry ${jobId}\` runs its failed tasks again`,
        { jobId, state: job.state },
      )
    refuseSpent(job, await this.data.store.jobs.counts(jobId))
    refuseClosedPlaces(this.#coordinator.context.gate, await this.data.store.tasks.pendingHosts(jobId), job)
    await this.data.store.jobs.move(jobId, ['paused'], 'running', { reason: null, resumeAt: null })
    return this.#adoptChanged(jobId, change)
  }

  /** Runs the failed tasks again. If the job was cancelled, also runs its cancelled tasks. */
  async retry(jobId: string, change: JobSpecInput = {}): Promise<{ job: Job; reopened: number }> {
    const job = await this.#jobs.get(jobId)
    const { byState } = await this.data.store.jobs.counts(jobId)
    const wasCancelled = job.state === 'cancelled'
    const again = byState.failed + (wasCancelled ? byState.cancelled : 0)
    // If the ingest is not done, the source failed. The retry then reads the rest of the source.
    if (hasEnded(job.state) && again === 0 && job.ingest.done) return { job, reopened: 0 }
    refuseClosedPlaces(
      this.#coordinator.context.gate,
      await this.data.store.hosts.ofJob(jobId, manyHosts),
      job,
    )
    const reopened = await this.data.store.tasks.reopen(
      jobId,
      wasCancelled ? ['failed', 'cancelled'] : ['failed'],
    )
    const count = reopened.reduce((sum, host) => sum + host.count, 0)
    await this.data.store.jobs.move(jobId, [job.state], 'running', { reason: null, resumeAt: null })
    return { job: await this.#adoptChanged(jobId, change), reopened: count }
  }

  async #adoptChanged(jobId: string, change: JobSpecInput): Promise<Job> {
    const job = await this.#jobs.get(jobId)
    const changed = { ...job, spec: changedSpec(job.spec, change) }
    await this.#adopt(changed)
    return changed
  }

  async #adopt(stored: Job): Promise<void> {
    const job = asItRuns(this.sealer, stored)
    refuseWithoutModel(job.spec, this.#settings)
    if (job.spec.maxAgeMs !== undefined)
      await this.data.store.retention.forgetAnswers(systemClock.now() - this.#settings.answerRetention)
    const userAgent = job.spec.userAgent ?? userAgentOf(this.#settings)
    await this.#coordinator.adopt(job, {
      id: job.id,
      kind: job.kind,
      workspace: job.workspace,
      spec: job.spec,
      traceparent: job.traceparent,
      userAgent,
      ...cookiesOf(job.spec.cookiesFile),
      ...(await this.#laneParts(job.spec)),
      ...laneSlots(job.spec, this.#laneBounds),
      ...(await browserLookOf(job.spec, this.#settings)),
      ...(asksModel(job.spec) && { llmLedger: openLedger(await this.#tokensSpentBy(job)) }),
    })
  }

  /** Includes tokens that were reserved by a process that died: they count as spent. */
  async #tokensSpentBy({ id }: Job): Promise<number> {
    return (await this.data.store.jobs.counts(id)).llmTokens
  }

  get #laneBounds(): LaneBounds {
    return { concurrency: this.#settings.concurrency, isBinding: this.#isServing }
  }

  /** Runs until every job has ended, or until the stop signal. */
  async run(): Promise<void> {
    const { store } = this.data
    await using _retention = runRetention(this.data, this.#settings, this.#coordinator.context)
    const { jobs, stopping } = this.#coordinator.context
    const toTell = [...jobs.values()].filter(({ job }) => job.spec.webhookUrl).map(({ id }) => id)
    await this.#coordinator.run()
    await deliverBeforeExit({ store, settings: this.#settings, traces: this.traces }, toTell, stopping)
  }

  /** Adopts the jobs of earlier processes and runs every submitted job, until the stop signal. */
  async serve(): Promise<void> {
    const { store } = this.data
    this.#isServing = true
    const { context } = this.#coordinator
    context.controlIdle = (jobId, kind) => this.#obey(jobId, kind)
    context.adopt = jobId => this.adopt(jobId)
    await using _retention = context.shards.isFirst ? runRetention(this.data, this.#settings, context) : null
    for await (const job of unendedJobs(store)) if (goesOnByItself(job)) this.#adoptions.soon(job.id)
    await this.#coordinator.run({ forever: true }).finally(() => {
      this.#isServing = false
    })
  }

  /** Number of running lanes, and of tasks in flight. */
  get workers(): { alive: number; inFlight: number } {
    const { lanes, inFlight } = this.#coordinator.context
    return { alive: this.#isServing ? lanes.count : 0, inFlight: inFlight.size }
  }

  /** Counts of hosts, and the names of the unhealthiest hosts. */
  hostCounts(mostNamed: number): HostCounts {
    const { hosts, clock } = this.#coordinator.context
    return hosts.hostCounts(clock.now(), mostNamed)
  }

  /** Counts of waiting tasks, by reason, and of tasks that are due or in flight. */
  workCountsOf(): WorkCounts {
    const { dispatcher, inFlight, clock } = this.#coordinator.context
    const counts = dispatcher.workCounts(clock.now())
    return { ...counts, due: counts.due + inFlight.size }
  }

  /** State of the browser pool; null while no browser runs. */
  get browserPool(): BrowserPool | null {
    return this.#browserPool
  }

  /** Why no page can be rendered now; null if rendering works. */
  browserTrouble(): Promise<string | null> {
    return browserTroubleOf(this.#coordinator.context, this.#browserPool, this.#settings)
  }

  /** Pauses, resumes, cancels or retries a job. Tasks in flight may end after this resolves. */
  async steer(jobId: string, kind: RequestKind): Promise<Job> {
    const ended = kind === 'cancel' ? this.#endOf(jobId) : undefined
    await this.#coordinator.inTurn(() => this.#obey(jobId, kind))
    // A caller that cancels an idle job may delete the job next, so wait for its last files. Jobs with tasks in flight
    // end later.
    if (ended && this.#coordinator.context.jobs.get(jobId)?.inFlight === 0)
      await settledWithin(ended.moved, lastFilesMs)
    ended?.ignore()
    return this.#jobs.get(jobId)
  }

  #endOf(jobId: string): { moved: Promise<void>; ignore: () => void } {
    const { promise: moved, resolve } = Promise.withResolvers<void>()
    const ignore = this.#events.listen((name, event) => {
      if (name !== 'job.moved') return
      const { jobId: id, to } = event as Events['job.moved']
      if (id === jobId && hasEnded(to)) resolve()
    })
    return { moved, ignore }
  }

  async fed(added: readonly AddedWork[]): Promise<void> {
    const { context } = this.#coordinator
    for (const { jobId } of added) if (!context.jobs.has(jobId)) this.adopt(jobId)
    const known = added.filter(({ jobId }) => context.jobs.has(jobId))
    if (known.length > 0) await this.#coordinator.inTurn(() => acceptWork(context, known))
  }

  delete(jobId: string): Promise<void> {
    return this.#jobs.delete(jobId)
  }

  async #obey(jobId: string, kind: RequestKind): Promise<void> {
    const { context } = this.#coordinator
    const before = await this.#jobs.get(jobId)
    refuseInvalid(before, kind, context.jobs.get(jobId))
    if (context.jobs.has(jobId)) return applyControlRequest(context, jobId, kind)
    const finish = (id: string) => this.#adoptById(id, true)
    if (kind === 'resume') await this.resume(jobId)
    else if (kind === 'retry') await this.retry(jobId)
    else await controlIdleJob(this.data, jobId, kind, context.clock.now(), { ...this.#settings, finish })
    const { state, reason } = await this.#jobs.get(jobId)
    if (state !== before.state && !context.jobs.has(jobId))
      context.emit('job.moved', { jobId, to: state, reason })
  }

  /** Call this between two turns of the coordinator's loop. If the job cannot be adopted, it is paused with the reason. */
  async #adoptById(jobId: string, isAsked = false): Promise<void> {
    const { context } = this.#coordinator
    const job = await this.data.store.jobs.get(jobId)
    if (!job || hasEnded(job.state) || context.jobs.has(jobId)) return
    if (!isAsked && !context.shards.concerns(job)) return this.#leaveToOthers(job)
    try {
      if (job.state !== 'pending')
        refuseClosedPlaces(context.gate, await this.data.store.tasks.pendingHosts(jobId), job)
      await this.#adopt(job)
    } catch (error) {
      const failure = asFailure(error)
      if (isAway(failure)) throw failure
      context.emit('notice.given', { jobId, message: `the job is paused: ${failure.message}` })
      const change = { reason: failure.code }
      await this.data.store.jobs.move(jobId, ['pending', 'running', 'paused'], 'paused', change)
    }
  }

  /** Remembers a running job of another shard, so that this process does not load it every second. A job in another state may
   *  concern this shard later, so it is not remembered. */
  #leaveToOthers({ id, state }: Job): void {
    if (state !== 'running') return
    if (this.#elsewhere.size >= mostElsewhere) this.#elsewhere.clear()
    this.#elsewhere.add(id)
  }

  async progress(jobId: string): Promise<Progress> {
    return progressOf(this.#coordinator.context, await this.#jobs.get(jobId))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

/** Refuses a control request that the state of the job does not allow. */
function refuseInvalid({ id, state }: Job, kind: RequestKind, running?: RunningJob): void {
  const refusal = (why: string) => new Failure('job.wrong-state', `job ${id} ${why}`, { jobId: id, state })
  if (running && comesTooLate(running, kind))
    throw refusal(
      `is ${state}: its last files are being written; ${kind === 'pause' ? 'there is nothing to pause' : 'retry it when it has ended'}`,
    )
  if (running?.cancelled && kind !== 'cancel')
    throw refusal(`is being cancelled: there is nothing to ${kind}; wait until it has ended`)
  const isRepeated = kind === 'cancel' && state === 'cancelled'
  if (kind === 'retry' || !hasEnded(state) || isRepeated) return
  const remedy = kind === 'resume' ? '; retry it to run what failed again' : ''
  throw refusal(`has ended (${state}): there is nothing to ${kind}${remedy}`)
}

interface LaneBounds {
  /** Maximum number of requests in flight over all hosts and jobs. */
  concurrency: number
  /** Whether `concurrency` also limits a single job. The CLI lets its own job exceed the limit. */
  isBinding: boolean
}

/** The limits of a job in this process. Its lanes share them. */
function laneSlots(
  { concurrency: wanted }: Pick<JobSpec, 'concurrency'>,
  { concurrency: most, isBinding }: LaneBounds,
): Required<Pick<LaneJob, 'slots' | 'inFlight'>> {
  const slots = wanted ?? most
  return { slots, inFlight: isBinding ? most : slots }
}
