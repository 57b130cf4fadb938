// The engine as an API process of a cluster has it: jobs go into the store, and whoever leads is asked about them.
import type { Loaded } from '../../config/load.ts'
import { operatorProxies } from '../../config/operator-proxies.ts'
import { findProxies, jobProxies } from '../../fetch/proxies/job-proxies.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Emitter, Listener } from '../../lib/emitter.ts'
import { shardOf } from '../../lib/shard-of.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import type { AddedWork } from '../../model/cluster-messages.ts'
import type { Emit } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { type GivenSpec, hasEnded, type Job } from '../../model/job.ts'
import { type ProxyState, proxyPolicy } from '../../model/policy/proxy.ts'
import type { DistantWorkers } from '../../observe/diagnose/service-diagnostics.ts'
import type { HealthParts } from '../../observe/service-health.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import { LocalWorkers } from '../../pipeline/coordinate/local-workers.ts'
import { refreshConduct } from '../../pipeline/coordinate/refresh-conduct.ts'
import { noWork, plus, type RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import { allHosts, homeOf } from '../../pipeline/coordinate/shards.ts'
import { type JobProgress, joinProgress } from '../../pipeline/report/job-progress.ts'
import { type SubmitOptions, submitJob } from '../../pipeline/submit/submit-job.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Calls, Patience } from '../../ports/calls.ts'
import type { RequestKind } from '../../ports/store.ts'
import type { StreamContents, WorkerSign } from '../../ports/stream-contents.ts'
import type { Health, Within } from '../../server/parts.ts'
import { checkOutputs } from '../check-outputs.ts'
import { Engine } from '../engine.ts'
import { refuseUselessModel, refuseWithoutModel } from '../llm-settings.ts'
import { coordinatorOn } from '../open-coordinator.ts'
import { policyRulesOf } from '../policy-rules.ts'
import { mergedStates } from '../proxy-directory.ts'
import type { ServiceEngine } from '../service-parts.ts'
import { Attendance, missingRoles } from './attendance.ts'
import { openCallersStore } from './callers-store.ts'
import { clusterHealth } from './cluster-health.ts'
import { distantWorkers } from './diagnose-workers.ts'
import { LeaderProgress, type Led } from './leader-progress.ts'
import { coordinatorOf, type News } from './messages.ts'
import { askAll } from './notify-shards.ts'
import { fetches, joinedPool } from './presence.ts'
import type { RoleParts } from './role.ts'
import { asDataDirectory, openBlobs, openBus, openCalls, openStreams } from './services.ts'

/** Who leads answers at once, or there is nobody just now. */
const steerWithinMs = 5_000
const progressWithinMs = 1_000
const lookEveryMs = 2_000

interface Opened {
  settings: Loaded['settings']
  /** Looks and checks; it runs nothing. */
  here: Engine
  /** Takes up what was set for hosts since, by whichever process. */
  keepUp: () => Promise<void>
  calls: Calls
  presence: StreamContents
  bus: Bus
  events: Emitter
  mark: Mark
  within: Within
  stop: AbortSignal
  opened: AsyncDisposableStack
}

export async function openClusterEngine(parts: RoleParts, stop: AbortSignal): Promise<ServiceEngine> {
  await using opened = new AsyncDisposableStack()
  const { settings, registry, events, mark, traces } = parts
  const { store, within } = await openCallersStore(opened, settings, parts.log)
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings, { mayBeAway: true }))
  const presence = opened.use(await openStreams(settings, { mayBeAway: true }))
  const bus = opened.use(await openBus(settings, { mayBeAway: true }))
  const data = asDataDirectory(settings, store, blobs)
  const coordinator = coordinatorOn(
    { ...{ data, settings, registry, events, stop }, owner: 'api', stdout: process.stdout },
    { ...nothingToRun, startedAt: Date.now() },
  )
  const here = Engine.over({ data, settings, registry, events, traces, coordinator })
  const keepUp = () => refreshConduct(coordinator.context)
  const own = { settings, here, keepUp, calls, presence, bus, events, mark, within, stop }
  let engine: ClusterEngine | null = null
  // Before anybody can ask for a job: word of its end comes once.
  opened.defer(await calls.listen((news: News) => engine?.heard(news)))
  engine = new ClusterEngine({ ...own, opened: opened.move() })
  return engine
}

const late = 'no coordinator leads now'
const soon: Patience = { withinMs: progressWithinMs, late }
const toSteer: Patience = { withinMs: steerWithinMs, late }

const unknownJob = (jobId: string): Failure =>
  new Failure('job.unknown', `there is no job "${jobId}"`, { jobId })

const never = (): Promise<never> =>
  Promise.reject(new Failure('internal.bug', 'an API process runs no tasks'))

const nothingToRun = {
  lanes: {
    count: 0,
    openJob: () => {},
    closeJob: () => {},
    cancelJob: () => {},
    fetchRobots: never,
    [Symbol.asyncDispose]: async () => {},
  },
  workers: new LocalWorkers({
    queues: [],
    browserQueue: {
      ...{ send: never, receive: never, extend: never, ack: never, depth: never },
      [Symbol.asyncDispose]: async () => {},
    },
    ingest: never,
  }),
  shards: allHosts,
}

class ClusterEngine implements ServiceEngine {
  readonly #parts: Opened
  readonly #led = new LeaderProgress(jobId => this.#askLeaders(jobId), systemClock)
  #workers: WorkerSign[] = []
  readonly #attendance = new Attendance()

  constructor(parts: Opened) {
    this.#parts = parts
  }

  get data(): Engine['data'] {
    return this.#parts.here.data
  }

  get bus(): Bus {
    return this.#parts.bus
  }

  get within(): Within {
    return this.#parts.within
  }

  get registry(): Engine['registry'] {
    return this.#parts.here.registry
  }

  get traces(): Engine['traces'] {
    return this.#parts.here.traces
  }

  get sealer(): Engine['sealer'] {
    return this.#parts.here.sealer
  }

  /** Whoever leads keeps the book; each shard has its own, and what they say is put together. */
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

  /** What is written down about hosts; changes hold when whoever leads has heard of them. */
  get hosts(): Engine['hosts'] {
    const { hosts } = this.#parts.here
    const { calls, settings, keepUp } = this.#parts
    return {
      report: host => keepUp().then(() => hosts.report(host)),
      list: page => keepUp().then(() => hosts.list(page)),
      usualPace: hosts.usualPace,
      refresh: async () =>
        // Looked at with every sweep as well.
        void (await askAll(calls, settings.shards, { say: 'conduct-changed' }, soon)),
    }
  }

  get distant(): DistantWorkers {
    return distantWorkers(this.#parts.calls, this.data.blobs)
  }

  get signs(): readonly WorkerSign[] {
    return this.#workers
  }

  get browserPool(): Engine['browserPool'] {
    return joinedPool(this.#workers)
  }

  /** A browser worker that can be started counts as available. */
  async browserTrouble(): Promise<null> {
    return null
  }

  openHealth(parts: HealthParts): Health {
    return clusterHealth(parts, () => this.#attendance.trouble(systemClock.now()))
  }

  get workers(): { alive: number; inFlight: number } {
    const fetching = this.#workers.filter(fetches)
    const inFlight = fetching.reduce((sum, { held }) => sum + held, 0)
    return { alive: fetching.length, inFlight }
  }

  check(spec: GivenSpec, options?: SubmitOptions): void {
    this.#parts.here.check(spec, options)
  }

  async submit(spec: GivenSpec, options: SubmitOptions = {}): Promise<Job> {
    const { settings, here, calls } = this.#parts
    refuseWithoutModel(spec, settings)
    refuseUselessModel(spec, here.registry)
    await checkOutputs(spec.output)
    const parts = {
      ...{ store: here.data.store, clock: systemClock, registry: here.registry, sealer: here.sealer },
      ...{ gate: here.gate, traces: here.traces },
      policyRules: policyRulesOf(settings),
      operatorProxies: operatorProxies(settings),
    }
    const job = await submitJob(
      parts,
      { ...spec, userAgent: spec.userAgent ?? userAgentOf(settings) },
      options,
    )
    this.#parts.mark('api.after_insert_before_reply')
    // A hint: whoever leads looks for new jobs every second anyway.
    const home = coordinatorOf(homeOf(job, settings.shards))
    void calls.tell(home, { say: 'new-job', jobId: job.id }).catch(() => {})
    return job
  }

  async steer(jobId: string, kind: RequestKind): Promise<Job> {
    const { calls, here, settings } = this.#parts
    const { store } = here.data
    const asked = await store.jobs.get(jobId)
    if (!asked) throw unknownJob(jobId)
    const home = coordinatorOf(homeOf(asked, settings.shards))
    try {
      await calls.ask(home, { say: 'steer', jobId, kind }, toSteer)
    } catch (error) {
      if (asFailure(error).code !== 'queue.unavailable') throw error
      // Obeyed with the next sweep of whoever leads then.
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
      const news = { jobId, added: own, isDone: false, failure: null }
      await calls.tell(home, { say: 'source', news })
    }
  }

  /** Whoever asks has been shown to be its owner; rows are removed after the job they belong to. */
  delete(jobId: string): Promise<void> {
    return this.#parts.within(null, () => this.#parts.here.delete(jobId))
  }

  /** What is written down is read; what only whoever leads knows is left out while nobody does, and once it has ended. */
  async progress(jobId: string): Promise<JobProgress> {
    const [own, led] = await Promise.all([this.#parts.here.progress(jobId), this.#led.of(jobId)])
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
    return this.#parts.events.listen(listener)
  }

  get emit(): Emit {
    return this.#parts.events.emit
  }

  async serve(): Promise<void> {
    const { stop, presence } = this.#parts
    while (!stop.aborted) {
      this.#workers = await presence.workers().catch(() => [])
      if (this.#attendance.isDue(systemClock.now())) await this.#lookAtWork()
      await systemClock.sleep(lookEveryMs, stop).catch(() => {})
    }
  }

  /** Asked only where a kind of worker is missing: the leader has to go through all hosts. */
  async #lookAtWork(): Promise<void> {
    const { calls, settings } = this.#parts
    const missing = missingRoles(this.#workers)
    const question = { say: 'runnable' } as const
    const told = missing.length > 0 ? await askAll<RunnableWork>(calls, settings.shards, question, soon) : []
    this.#attendance.note(missing, told.reduce(plus, noWork), systemClock.now())
  }

  heard({ settled, moved, deleted, notice }: News): void {
    const { emit } = this.#parts.events
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
