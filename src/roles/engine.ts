// The engine in one process: opens the parts on a data directory, takes jobs, and runs them to their end.
import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Loaded } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import { nothingSpent } from '../extract/llm/token-budget.ts'
import { parseCookieFile, readCertificates } from '../fetch/http/index.ts'
import { systemClock } from '../lib/clocks.ts'
import { Emitter, type Listener } from '../lib/emitter.ts'
import { readTextFile } from '../lib/text-file.ts'
import { Failure } from '../model/failures.ts'
import {
  asksModel,
  type GivenSpec,
  hasEnded,
  type Job,
  type JobCounts,
  type JobSpecInput,
} from '../model/job.ts'
import { type Coordinator, poisonAfter } from '../pipeline/coordinator.ts'
import type { BrowserPoolStats } from '../server/parts.ts'
import { hasBrowserFor } from './browser-settings.ts'
import { type SubmitOptions, submitJob } from '../pipeline/submit-job.ts'
import type { FetchLayer } from '../ports/fetch.ts'
import type { Scraper } from '../scraper/define-scraper.ts'
import type { Registry } from '../scraper/registry.ts'
import { checkOutputs } from './check-outputs.ts'
import { type DataDirectory, ownDataDirectory } from './data-directory.ts'
import { changedSpec } from './job-input.ts'
import { refuseWithoutModel } from './llm-settings.ts'
import { openCoordinator } from './open-coordinator.ts'
import { refuseClosedPlaces } from './private-places.ts'
import { keepRawInBounds } from './raw-retention.ts'
import { findScraperFiles, loadScrapers } from './scraper-files.ts'
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
  /** Around every request, to make a recording for one; work then stays on the main thread. */
  fetchLayer?: FetchLayer
}

/** How a job stands, for whoever shows it. */
export interface Progress {
  job: Job
  counts: JobCounts
  inFlight: number
  /** Hosts that have tasks which run or could run. */
  hosts: number
  waiting: ReturnType<Dispatcher['waiting']>
  /** Tasks that failed and will be tried again, and when the first of them is due. */
  retries: { tasks: number; nextAt: number | null }
}

/** Of one job, when it is retried; what lies beyond is judged when it is fetched. */
const manyHosts = 10_000

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
    // Read again by each lane; here to say at once what is wrong with it.
    if (settings.caFile) readCertificates(settings.caFile)
    await using opened = new AsyncDisposableStack()
    const data = opened.use(await ownDataDirectory(settings.dataDir, options.command))
    const scraperFiles = findScraperFiles(root)
    const registry = await loadScrapers(scraperFiles)
    for (const scraper of options.scrapers ?? []) registry.add(scraper)
    const owner = `${process.pid}-${randomBytes(4).toString('hex')}`
    await data.store.tasks.reclaim({ now: systemClock.now(), exceptOwner: owner, poisonAfter })
    const events = new Emitter()
    const coordinator = await openCoordinator(opened, {
      ...{ data, settings, registry, events, owner, scraperFiles },
      hasOwnScrapers: Boolean(options.scrapers?.length),
      lanes: options.lanes,
      fetchLayer: options.fetchLayer,
      stop: options.stop,
      stdout: options.stdout,
    })
    return new Engine({ data, settings, coordinator, events, registry, opened: opened.move() })
  }

  listen(listener: Listener): () => void {
    return this.#events.listen(listener)
  }

  /** Accepted means durable: when this resolves, a kill loses nothing. */
  async submit(spec: GivenSpec, options: SubmitOptions = {}): Promise<Job> {
    const { gate, clock } = this.#coordinator.desk
    refuseWithoutModel(spec, this.#settings)
    await checkOutputs(spec.output)
    cookiesOf(spec.cookiesFile)
    const parts = { store: this.data.store, clock, gate, registry: this.registry }
    // Kept with the job, so that a resume is the same visitor whatever the settings are by then.
    const userAgent = spec.userAgent ?? userAgentOf(this.#settings)
    const job = await submitJob(parts, { ...spec, userAgent }, options)
    await this.#adopt(job)
    return job
  }

  /** Goes on with a job that was stopped, or killed, or paused. What `change` says holds for this run. */
  async resume(jobId: string, change: JobSpecInput = {}): Promise<Job> {
    const job = await this.#known(jobId)
    if (hasEnded(job.state))
      throw new Failure(
        'job.wrong-state',
        `job ${jobId} has ended (${job.state}); \`kscrape jobs retry ${jobId}\` runs what failed again`,
        { jobId, state: job.state },
      )
    refuseClosedPlaces(this.#coordinator.desk.gate, await this.data.store.tasks.pendingHosts(jobId), job)
    await this.data.store.jobs.move(jobId, ['paused'], 'running', { reason: null, resumeAt: null })
    return this.#adoptChanged(jobId, change)
  }

  /** Runs again what failed, and only that. */
  async retry(jobId: string, change: JobSpecInput = {}): Promise<{ job: Job; reopened: number }> {
    const job = await this.#known(jobId)
    const { byState } = await this.data.store.jobs.counts(jobId)
    const wasCancelled = job.state === 'cancelled'
    const again = byState.failed + (wasCancelled ? byState.cancelled : 0)
    // A source that broke off is read on from there: whoever asks again has mended it.
    if (hasEnded(job.state) && again === 0 && job.ingest.done) return { job, reopened: 0 }
    refuseClosedPlaces(this.#coordinator.desk.gate, await this.data.store.hosts.ofJob(jobId, manyHosts), job)
    const reopened = await this.data.store.tasks.reopen(
      jobId,
      wasCancelled ? ['failed', 'cancelled'] : ['failed'],
    )
    const count = reopened.reduce((sum, host) => sum + host.count, 0)
    await this.data.store.jobs.move(jobId, [job.state], 'running', { reason: null, resumeAt: null })
    return { job: await this.#adoptChanged(jobId, change), reopened: count }
  }

  async #adoptChanged(jobId: string, change: JobSpecInput): Promise<Job> {
    const job = await this.#known(jobId)
    const changed = { ...job, spec: changedSpec(job.spec, change) }
    await this.#adopt(changed)
    return changed
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
    refuseWithoutModel(job.spec, this.#settings)
    if (job.spec.maxAgeMs !== undefined)
      await this.data.store.answers.forget(systemClock.now() - this.#settings.answerRetention)
    const userAgent = job.spec.userAgent ?? userAgentOf(this.#settings)
    const cookies = cookiesOf(job.spec.cookiesFile)
    await this.#coordinator.adopt(job, {
      id: job.id,
      kind: job.kind,
      spec: job.spec,
      userAgent,
      cookies,
      slots: this.#slotsOf(job),
      hasBrowser: await hasBrowserFor(job.spec, this.#settings),
      ...(asksModel(job.spec) && { llmLedger: openLedger(await this.#tokensSpentBy(job)) }),
    })
  }

  /** Without a rate, the lanes share what may be in flight; with one, the host table bounds it. */
  #slotsOf({ spec }: Job): number {
    const concurrency = spec.concurrency ?? this.#settings.concurrency
    const lanes = this.#coordinator.desk.lanes.count
    return spec.policy.host.rate === 'unlimited' ? Math.max(1, Math.floor(concurrency / lanes)) : concurrency
  }

  /** Until every job here has ended, or a stop was asked for. */
  async run(): Promise<void> {
    const { store, blobs } = this.data
    const parts = { store, blobs, clock: systemClock, emit: this.#events.emit }
    await using _tidying = keepRawInBounds(parts, this.#settings)
    await this.#coordinator.run()
  }

  async progress(jobId: string): Promise<Progress> {
    const { desk } = this.#coordinator
    const job = await this.#known(jobId)
    const counts = await this.data.store.jobs.counts(jobId)
    const nextAt = await this.data.store.tasks.nextWake(jobId)
    const runnable = desk.dispatcher.workOf(jobId)
    const inFlight = desk.jobs.get(jobId)?.inFlight ?? 0
    return {
      job,
      counts,
      inFlight,
      hosts: Math.max(desk.dispatcher.hostsOf(jobId), Math.min(1, inFlight)),
      waiting: desk.dispatcher.waiting(desk.clock.now(), jobId),
      retries: { tasks: nextAt === null ? 0 : Math.max(1, counts.byState.pending - runnable), nextAt },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

/** Read anew each time the job is taken in hand: what is in a cookie is not kept with it. */
function cookiesOf(file: string | undefined): string | null {
  return file ? JSON.stringify(parseCookieFile(readTextFile(file))) : null
}
