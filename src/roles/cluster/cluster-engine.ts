// The engine of an API process in a cluster. It stores jobs and asks the leading coordinators about them. It runs no tasks.

import { AsyncLocalStorage } from 'node:async_hooks'
import { canKeepApart } from '../../adapters/postgres/open.ts'
import { allWorkspaces } from '../../adapters/postgres/workspace-guard.ts'
import type { Loaded } from '../../config/load.ts'
import { operatorProxies } from '../../config/operator-proxies.ts'
import type { Settings } from '../../config/settings.ts'
import { findProxies, jobProxies } from '../../fetch/proxies/job-proxies.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Listener } from '../../lib/emitter.ts'
import { shardOf } from '../../lib/shard-of.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import type { Readiness } from '../../model/api/operations.ts'
import type { AddedWork } from '../../model/cluster-messages.ts'
import type { Emit } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { type GivenSpec, hasEnded, type Job } from '../../model/job.ts'
import { type ProxyState, proxyPolicy } from '../../model/policy/proxy.ts'
import type { DistantWorkers } from '../../observe/diagnose/service-diagnostics.ts'
import { type HealthParts, reportOf, storeCheck } from '../../observe/service-health.ts'
import type { ConductRules } from '../../pipeline/coordinate/conduct-rules.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import { noWork, plus, type RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import { homeOf } from '../../pipeline/coordinate/shards.ts'
import { type JobProgress, joinProgress, storedProgress } from '../../pipeline/report/job-progress.ts'
import type { SubmitOptions } from '../../pipeline/submit/submit-job.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Calls, CallTimeout } from '../../ports/calls.ts'
import type { RequestKind, Store } from '../../ports/store.ts'
import type { StreamContents, WorkerHeartbeat } from '../../ports/stream-contents.ts'
import type { Health, Log, Within } from '../../server/parts.ts'
import type { Engine } from '../engine.ts'
import { hostDirectory } from '../host-directory.ts'
import { openConductRules } from '../policy-rules.ts'
import { mergedStates } from '../proxy-directory.ts'
import type { ServiceEngine } from '../service/service-parts.ts'
import { StoredJobs } from '../stored-jobs.ts'
import { distantWorkers } from './diagnose-workers.ts'
import { LeaderProgress, type Led } from './leader-progress.ts'
import { type ClusterEvent, coordinatorOf } from './messages.ts'
import { MissingWorkers, missingRoles } from './missing-workers.ts'
import { askAll, hint } from './notify-shards.ts'
import { fetches, joinedPool } from './presence.ts'
import type { RoleParts } from './role.ts'
import { asDataDirectory, needed, openBlobs, openBus, openCalls, openStore, openStreams } from './services.ts'

/** A leader answers at once. No answer within this time means that no coordinator leads now. */
const steerWithinMs = 5_000
const progressWithinMs = 1_000
const lookEveryMs = 2_000

interface Opened {
  settings: Loaded['settings']
  jobs: StoredJobs
  conduct: ConductRules
  calls: Calls
  presence: StreamContents
  bus: Bus
  mark: Mark
  within: Within
  stop: AbortSignal
  opened: AsyncDisposableStack
}

export async function openClusterEngine(parts: RoleParts, stop: AbortSignal): Promise<ServiceEngine> {
  await using opened = new AsyncDisposableStack()
  const { settings, mark } = parts
  const { store, within } = await openCallersStore(opened, settings, parts.log)
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings, { mayBeAway: true }))
  const presence = opened.use(await openStreams(settings, { mayBeAway: true }))
  const bus = opened.use(await openBus(settings, { mayBeAway: true }))
  const jobs = new StoredJobs({ ...parts, data: asDataDirectory(settings, store, blobs) })
  const conduct = openConductRules(settings)
  let engine: ClusterEngine | null = null
  // Listen before a caller can submit a job, because the message about the end of a job is sent only once.
  opened.defer(await calls.listen((event: ClusterEvent) => engine?.heard(event)))
  const own = { settings, jobs, conduct, calls, presence, bus, mark, within, stop }
  engine = new ClusterEngine({ ...own, opened: opened.move() })
  return engine
}

const late = 'no coordinator leads now'
const soon: CallTimeout = { withinMs: progressWithinMs, late }
const toSteer: CallTimeout = { withinMs: steerWithinMs, late }

const unknownJob = (jobId: string): Failure =>
  new Failure('job.unknown', `there is no job "${jobId}"`, { jobId })

class ClusterEngine implements ServiceEngine {
  readonly #parts: Opened
  readonly #led = new LeaderProgress(jobId => this.#askLeaders(jobId), systemClock)
  #workers: WorkerHeartbeat[] = []
  readonly #missingWorkers = new MissingWorkers()

  constructor(parts: Opened) {
    this.#parts = parts
    const { calls, settings, conduct, jobs } = parts
    this.hosts = hostDirectory({
      ...{ store: jobs.data.store, conduct, userAgent: userAgentOf(settings) },
      // A lost message does no harm, because every sweep of a leader also checks for changed policies and lists.
      refresh: async () => void (await askAll(calls, settings.shards, { say: 'conduct-changed' }, soon)),
    })
  }

  get data(): Engine['data'] {
    return this.#parts.jobs.data
  }

  get bus(): Bus {
    return this.#parts.bus
  }

  get within(): Within {
    return this.#parts.within
  }

  get registry(): Engine['registry'] {
    return this.#parts.jobs.registry
  }

  get traces(): Engine['traces'] {
    return this.#parts.jobs.traces
  }

  get sealer(): Engine['sealer'] {
    return this.#parts.jobs.sealer
  }

  /** Each leader knows the health of the proxies that it uses. The answers of all leaders are merged. */
  get proxies(): Engine['proxies'] {
    const ask = async (check: boolean): Promise<ProxyState[]> => {
      const { calls, settings } = this.#parts
      const shards = Array.from({ length: settings.shards }, (_, shard) =>
        calls.ask<ProxyState[]>(coordinatorOf(shard), { say: 'proxies', check }, toSteer),
      )
      return mergedStates((await Promise.all(shards)).flat())
    }
    const operator = operatorProxies(this.#parts.settings)
    return {
      list: () => ask(false),
      check: () => ask(true),
      find: options => findProxies(operator, options),
      judge: proxy => jobProxies(operator, proxyPolicy.parse(proxy)).warnings,
    }
  }

  /** Hosts as the store has them. A changed policy applies when the leaders have received it. */
  readonly hosts: Engine['hosts']

  get distant(): DistantWorkers {
    return distantWorkers(this.#parts.calls, this.data.blobs)
  }

  get signs(): readonly WorkerHeartbeat[] {
    return this.#workers
  }

  get browserPool(): Engine['browserPool'] {
    return joinedPool(this.#workers)
  }

  /** In a cluster a browser counts as available, because the autoscaler can start a browser worker. */
  async browserTrouble(): Promise<null> {
    return null
  }

  openHealth(parts: HealthParts): Health {
    return clusterHealth(parts, () => this.#missingWorkers.trouble(systemClock.now()))
  }

  get workers(): { alive: number; inFlight: number } {
    const fetching = this.#workers.filter(fetches)
    const inFlight = fetching.reduce((sum, { held }) => sum + held, 0)
    return { alive: fetching.length, inFlight }
  }

  check(spec: GivenSpec, options?: SubmitOptions): Promise<void> {
    return this.#parts.jobs.check(spec, options)
  }

  async submit(spec: GivenSpec, options: SubmitOptions = {}): Promise<Job> {
    const { settings, jobs, calls, mark } = this.#parts
    const job = await jobs.submit(spec, options)
    mark('api.after_insert_before_reply')
    // A lost message does no harm, because the leader also checks for new jobs every second.
    hint(calls, homeOf(job, settings.shards), { say: 'new-job', jobId: job.id })
    return job
  }

  async steer(jobId: string, kind: RequestKind): Promise<Job> {
    const { calls, jobs, settings } = this.#parts
    const { store } = jobs.data
    const asked = await store.jobs.get(jobId)
    if (!asked) throw unknownJob(jobId)
    const home = coordinatorOf(homeOf(asked, settings.shards))
    try {
      await calls.ask(home, { say: 'steer', jobId, kind }, toSteer)
    } catch (error) {
      if (asFailure(error).code !== 'queue.unavailable') throw error
      // No leader answered, so the control request is stored. The next sweep of a leader handles it.
      await store.requests.leave({ jobId, kind, at: systemClock.now() })
    }
    const job = await store.jobs.get(jobId)
    if (!job) throw unknownJob(jobId)
    return job
  }

  async fed(added: readonly AddedWork[]): Promise<void> {
    const { calls, settings } = this.#parts
    for (const [jobId, own] of Map.groupBy(added, one => one.jobId)) {
      const home = coordinatorOf(shardOf(jobId, settings.shards))
      await calls.tell(home, { say: 'new-job', jobId })
      const update = { jobId, added: own, isDone: false, failure: null }
      await calls.tell(home, { say: 'source', update })
    }
  }

  /** The caller has checked that the workspace owns the job. In the database, the deletion is not limited to a workspace:
   *  the job's row is deleted first, and its other rows then no longer show which workspace owns them. */
  delete(jobId: string): Promise<void> {
    return this.#parts.within(null, () => this.#parts.jobs.delete(jobId))
  }

  /** Progress from the store, completed with live data of the leaders. Live data is missing if no coordinator leads or the job
   *  has ended. */
  async progress(jobId: string): Promise<JobProgress> {
    const { jobs } = this.#parts
    const stored = async () => storedProgress(jobs.data.store, await jobs.get(jobId))
    const [own, led] = await Promise.all([stored(), this.#led.of(jobId)])
    return hasEnded(own.job.state) ? own : { ...own, ...led }
  }

  async #askLeaders(jobId: string): Promise<Led> {
    const { calls, settings } = this.#parts
    const question = { say: 'progress', jobId } as const
    const known = await askAll<JobProgress>(calls, settings.shards, question, soon)
    if (known.length === 0) return null
    const { inFlight, hosts, waiting, retries, breaker = null } = joinProgress(known)
    return { inFlight, hosts, waiting, retries, breaker }
  }

  listen(listener: Listener): () => void {
    return this.#parts.jobs.events.listen(listener)
  }

  get emit(): Emit {
    return this.#parts.jobs.events.emit
  }

  async serve(): Promise<void> {
    const { stop, presence } = this.#parts
    while (!stop.aborted) {
      this.#workers = await presence.workers().catch(() => [])
      if (this.#missingWorkers.isDue(systemClock.now())) await this.#lookAtWork()
      await systemClock.sleep(lookEveryMs, stop).catch(() => {})
    }
  }

  /** Asks the leaders for runnable tasks only if a kind of worker is missing, because counting the tasks of all hosts is slow. */
  async #lookAtWork(): Promise<void> {
    const { calls, settings } = this.#parts
    const missing = missingRoles(this.#workers)
    const question = { say: 'runnable' } as const
    const told = missing.length > 0 ? await askAll<RunnableWork>(calls, settings.shards, question, soon) : []
    this.#missingWorkers.note(missing, told.reduce(plus, noWork), systemClock.now())
  }

  heard({ settled, moved, deleted, notice }: ClusterEvent): void {
    const { emit } = this.#parts.jobs.events
    if (notice) emit('notice.given', notice)
    if (moved) this.#led.forget(moved.jobId)
    if (moved) emit('job.moved', moved)
    if (deleted) emit('job.deleted', deleted)
    for (const task of settled ?? []) emit('task.settled', { ...task, proxy: null, records: [] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.opened.disposeAsync()
  }
}

const noRole =
  'PostgreSQL does not enforce the separation of workspaces: the user of DATABASE_URL may not use the role kscrape_guarded (docs/security.md)'

async function openCallersStore(
  opened: AsyncDisposableStack,
  settings: Settings,
  log: Log,
): Promise<{ store: Store; within: Within }> {
  if (!(await canKeepApart(needed(settings, 'databaseUrl')))) {
    log.warn({}, noRole)
    return { store: opened.use(await openStore(settings)), within: (_workspace, work) => work() }
  }
  // The workspace of the current API request. Code that runs outside a request, such as metrics, sees all workspaces.
  const asking = new AsyncLocalStorage<string>()
  const workspace = () => asking.getStore() ?? allWorkspaces
  return {
    store: opened.use(await openStore(settings, { workspace })),
    within: (name, work) => asking.run(name ?? allWorkspaces, work),
  }
}

/** How long to wait for the leader's list of proxies. */
const proxiesWithinMs = 1_000
const noProxies = { configured: false, healthy: 0, unhealthy: 0, each: [] }

/** `trouble` describes runnable tasks that had no worker for too long. Then the service is degraded, but still accepts jobs. */
function clusterHealth(parts: HealthParts, trouble: () => string | null): Health {
  const readiness = async (): Promise<Readiness> => {
    const store = await storeCheck(parts)
    return { ready: store === 'ok', checks: { store, workers: trouble() ?? 'ok' } }
  }
  const proxies = () => soonOr(Promise.resolve(parts.proxies()), noProxies)
  return {
    readiness,
    report: async () => reportOf({ ...parts, proxies }, await readiness()),
  }
}

async function soonOr<Value>(asked: Promise<Value>, fallback: Value): Promise<Value> {
  const late = Promise.withResolvers<Value>()
  const timer = setTimeout(() => late.resolve(fallback), proxiesWithinMs)
  return Promise.race([asked.catch(() => fallback), late.promise]).finally(() => clearTimeout(timer))
}
