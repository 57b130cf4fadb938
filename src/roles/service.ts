// The service: engine, faces and duties in one process, from the data directory to the open port.
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { Loaded } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { systemClock } from '../lib/clocks.ts'
import { hashOfKey, localKeyPrefix, newApiKey, newKeyId, prefixOfKey } from '../lib/secrets/api-keys.ts'
import { traceFields } from '../lib/traces/trace-fields.ts'
import { version } from '../lib/user-agent.ts'
import { exportsFolderOf } from '../maintain/delete-job.ts'
import { defaultWorkspace, scopes } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { ProxyState } from '../model/policy/proxy.ts'
import { RecentEvents } from '../observe/diagnose/recent-events.ts'
import { type DistantWorkers, serviceDiagnostics } from '../observe/diagnose/service-diagnostics.ts'
import { hostLines } from '../observe/figures/request-figures.ts'
import { storedFigures } from '../observe/figures/stored-figures.ts'
import { JobRequests } from '../observe/job-requests.ts'
import { type LiveFigures, ServiceMetrics } from '../observe/metrics.ts'
import { type HealthParts, serviceHealth } from '../observe/service-health.ts'
import { telemetry } from '../observe/telemetry.ts'
import type { KeyStore } from '../ports/service-stores.ts'
import type { WorkerSign } from '../ports/stream-contents.ts'
import type { Scraper } from '../scraper/define-scraper.ts'
import { createServer } from '../server/create-server.ts'
import { isLoopback } from '../server/loopback.ts'
import type { Health, JobEngine, Log, ServerParts, Within } from '../server/parts.ts'
import { Engine } from './engine.ts'
import { serviceKeeping } from './maintenance/service-keeping.ts'
import { openOwnership } from './ownership.ts'
import { DocumentReader } from './reader/document-reader.ts'
import { ReaderProcess } from './reader/page-reader.ts'
import { type Duty, duties } from './service-duties.ts'
import { uploadKeyIn } from './upload-key.ts'

export interface ServiceOptions {
  log: Log
  /** Shown to whoever finds the directory locked. */
  command?: string
  /** Scrapers handed over as code; they run on the main thread. */
  scrapers?: Scraper[]
  lanes?: number
  /** Where the dashboard was built to, if not to its usual place. */
  dashboardFolder?: string | undefined
  /** In place of the engine of one process, and of what it does beside jobs. */
  engine?: (stop: AbortSignal) => Promise<ServiceEngine>
  duties?: readonly Duty[]
  /** Of the process that the service is a part of. */
  metrics?: ServiceMetrics | undefined
}

/** What a service needs of whoever runs the jobs. */
export type ServiceEngine = Omit<JobEngine, 'workers'> &
  AsyncDisposable & /** Workers in processes of their own; without, all is done in this one. */ {
    readonly signs?: readonly WorkerSign[]
    readonly within?: Within
    readonly distant?: DistantWorkers
    /** In place of the health of one process. */
    openHealth?(parts: HealthParts): Health
    /** Only where hosts are led. */
    hostCensus?: Engine['hostCensus']
    workCensus?: Engine['workCensus']
  } & Pick<
    Engine,
    | 'data'
    | 'registry'
    | 'hosts'
    | 'proxies'
    | 'sealer'
    | 'traces'
    | 'workers'
    | 'browserPool'
    | 'browserTrouble'
    | 'serve'
  >

export interface Service extends AsyncDisposable {
  readonly engine: ServiceEngine
  /** Where it listens, like `http://127.0.0.1:8001`. */
  readonly url: string
  /** A key that was made because there was none; shown once. */
  readonly firstKey: string | null
  /** Ends when the service was stopped; rejects when it can't go on. */
  readonly done: Promise<void>
  /** Takes no more, lets what runs finish within the grace period, gives back the rest. */
  stop(): void
}

export async function openService(loaded: Loaded, options: ServiceOptions): Promise<Service> {
  const { settings } = loaded
  const { log, command = 'serve', engine: openEngine, duties: beside = duties, ...rest } = options
  const { dashboardFolder, metrics: ofProcess, ...engineOptions } = rest
  await using opened = new AsyncDisposableStack()
  const stopping = new AbortController()
  const stop = stopping.signal
  const engine: ServiceEngine = opened.use(
    openEngine
      ? await openEngine(stop)
      : await Engine.open(loaded, { command, stop, stdout: process.stdout, ...engineOptions }),
  )
  const firstKey = await firstKeyOf(engine.data.store.keys, settings)
  const uploadKey = await uploadKeyIn(engine.data.path)
  const ownership = opened.use(openOwnership(settings))
  const requests = new JobRequests()
  const jobLog = log.child({ component: 'jobs' })
  const accepted: ServerParts['accepted'] = (job, { requestId, keyId }) => {
    requests.note(job, requestId)
    const ids = { request_id: requestId, job_id: job.id, key_id: keyId }
    jobLog.info({ ...ids, ...traceFields(job.traceparent) }, 'a job was accepted')
  }
  const reader = opened.use(openPreviewReader())
  const documents = opened.use(new DocumentReader(systemClock))
  const besides = { log, ownership, accepted, reader, documents, stopping: stop }
  const own = partsOf(engine, besides, settings, ofProcess)
  const parts = { ...own, uploadKey, dashboardFolder }
  const heard = { job: parts.store.jobs.get, requests, isHearsay: engine.signs !== undefined }
  opened.defer(engine.listen(telemetry({ ...parts, ...heard })))
  const app = await createServer({ parts: { ...parts, log: log.child({ component: 'api' }) }, settings })
  opened.defer(() => app.close())
  await listen(app, settings)
  const acting = beside.map(duty => () => duty({ ...parts, settings }, stop))
  const running = run(engine, acting, stopping, () => closeDoor(app, settings.graceMs))
  // Whoever waits for `done` hears of it; nobody else has to.
  running.catch(() => {})
  opened.defer(async () => {
    stopping.abort()
    await running.catch(() => {})
  })
  const all = opened.move()
  return {
    engine,
    url: urlOf(settings.host, (app.server.address() as AddressInfo).port),
    firstKey,
    done: running,
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** The engine, and what is done beside it. When the engine ends, so does everything. */
async function run(
  engine: ServiceEngine,
  duties: Array<() => Promise<void>>,
  stopping: AbortController,
  close: () => Promise<void>,
): Promise<void> {
  let closing: Promise<void> | null = null
  const onStop = () => {
    closing = close()
  }
  stopping.signal.addEventListener('abort', onStop, { once: true })
  const beside = duties.map(begin => begin())
  try {
    await engine.serve()
  } finally {
    stopping.abort()
    await Promise.allSettled([...beside, closing])
  }
}

/** Nobody new comes in; who is inside may finish within the grace period. Kept-alive connections go as they fall idle. */
async function closeDoor(app: App, graceMs: number): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 50)
  const late = setTimeout(() => app.server.closeAllConnections(), graceMs)
  await app.close()
  clearInterval(idle)
  clearTimeout(late)
}

type ServiceParts = ServerParts & { metrics: ServiceMetrics }

type Beside = Pick<ServiceParts, 'log' | 'ownership' | 'stopping' | 'accepted'> & {
  reader: ReaderProcess
  documents: DocumentReader
}

/** People who try rules do so for minutes, and wait for each answer. */
export const openPreviewReader = (): ReaderProcess =>
  new ReaderProcess({ scraperFiles: [] }, { idleMs: 300_000 })

export function partsOf(
  engine: ServiceEngine,
  beside: Beside,
  settings: Settings,
  ofProcess?: ServiceMetrics,
): Omit<ServiceParts, 'uploadKey'> {
  const { store, blobs } = engine.data
  const startedAt = systemClock.now()
  const workers = () => engine.workers
  const browserPool = () => engine.browserPool
  const figures = async (): Promise<Partial<LiveFigures>> => {
    const { inFlight } = workers()
    return {
      ...(await storedFigures(store, inFlight)),
      ...{ inFlight, concurrency: settings.concurrency },
      activeBrowsers: browserPool()?.total ?? 0,
      ...(engine.hostCensus && { hosts: engine.hostCensus(hostLines) }),
      ...(engine.workCensus && { work: engine.workCensus() }),
      proxies: () => engine.proxies.list(),
      diskFree: () => blobs.free(),
    }
  }
  const metrics = new ServiceMetrics(figures, { within: ofProcess })
  const recent = new RecentEvents()
  engine.listen(recent.hear)
  for (const { file, failure } of engine.registry.broken)
    beside.log.warn({ file }, `${failure.message}; jobs that use other scrapers run`)
  const own: Omit<ServiceParts, 'uploadKey' | 'diagnostics' | 'keeping'> = {
    ...{ ...beside, store, blobs, engine, metrics, version, clock: systemClock },
    hosts: engine.hosts,
    proxies: engine.proxies,
    sealer: engine.sealer,
    traces: engine.traces,
    scrapers: {
      get: scraperId => engine.registry.get(scraperId),
      credentialsOf: scraperId => engine.registry.providersOf(scraperId),
      ids: () => engine.registry.list().map(({ id }) => id),
    },
    health: (engine.openHealth?.bind(engine) ?? serviceHealth)({
      ...{ store, version, startedAt, workers, browserPool, clock: systemClock },
      averageTaskSeconds: () => metrics.averageTaskSeconds,
      browserTrouble: () => engine.browserTrouble(),
      proxies: async () => proxyHealth(await engine.proxies.list().catch(() => [])),
    }),
    fleet: () => ({ workers: engine.signs ?? [ownSign(workers())], browserPool: browserPool() }),
    tryRules: (page, rules) => beside.reader.ask('try-rules', { page, rules }),
    pageTexts: page => beside.reader.ask('texts', { page }),
    pageDocument: (page, wish) => beside.documents.make(page, wish),
    seeAhead: (page, kind) => beside.documents.seeAhead(page, kind),
    exportsFolder: jobId => exportsFolderOf(engine.data, jobId),
    within: engine.within,
  }
  return {
    ...own,
    diagnostics: serviceDiagnostics({ parts: own, settings, recent, distant: engine.distant }),
    keeping: serviceKeeping(engine, settings),
  }
}

/** Of those that every job goes through. */
function proxyHealth(states: readonly ProxyState[]) {
  const own = states.filter(({ source }) => source === 'operator')
  const healthy = own.filter(({ isHealthy }) => isHealthy).length
  const each = own.map(({ isHealthy, successes, failures }) => ({ healthy: isHealthy, successes, failures }))
  return { configured: own.length > 0, healthy, unhealthy: own.length - healthy, each }
}

/** One process that does everything. */
const ownSign = ({ alive, inFlight }: { alive: number; inFlight: number }): WorkerSign => ({
  ...{ name: `${hostname()} (${process.pid})`, role: 'all-in-one', concurrency: alive, held: inFlight },
  memoryBytes: process.memoryUsage.rss(),
  startedAt: Math.round(performance.timeOrigin),
})

/** On loopback a key is made for whoever sits here; anywhere else one must have been given. */
async function firstKeyOf(keys: KeyStore, settings: Settings): Promise<string | null> {
  const isGiven = settings.apiKey !== undefined || settings.serviceKey !== undefined
  const known = (await keys.list()).filter(({ revokedAt }) => revokedAt === null)
  if (!isLoopback(settings.host)) {
    if (isGiven || known.some(({ id }) => !id.startsWith(localKeyPrefix))) return null
    throw new Failure(
      'input.invalid',
      `listening on ${settings.host} needs a key that was given: set SCRAPER_API_KEY, or make one with \`kscrape keys create\`, or listen on 127.0.0.1`,
      { host: settings.host },
    )
  }
  if (isGiven || known.length > 0) return null
  const key = newApiKey()
  const kept = {
    ...{ id: newKeyId(true), prefix: prefixOfKey(key), name: 'first key', workspace: defaultWorkspace },
    ...{ scopes: [...scopes], limits: {}, createdAt: systemClock.now() },
  }
  await keys.add(kept, hashOfKey(key))
  return key
}

type App = Awaited<ReturnType<typeof createServer>>

async function listen(app: App, { host, port }: Settings): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = reasons[code ?? ''] ?? (cause as Error).message
    throw new Failure('input.invalid', `can't listen on ${host}:${port}: ${why}`, { host, port }, { cause })
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is taken; name another one with --port, or 0 for any that is free',
  EACCES: 'this user may not; ports below 1024 are the system’s',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such address',
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
