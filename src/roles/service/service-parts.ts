// The dependencies of a service's APIs and service loops. A leading coordinator has them too, without an HTTP server.
import { hostname } from 'node:os'
import type { Settings } from '../../config/settings.ts'
import type { DescribedField } from '../../extract/llm/pick-question.ts'
import { poolSize, thisMachine } from '../../fetch/browser/pool/pool-size.ts'
import { systemClock } from '../../lib/clocks.ts'
import { version } from '../../lib/user-agent.ts'
import { exportsFolderOf } from '../../maintain/delete-job.ts'
import type { ScrapersShown } from '../../model/api/operations.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import { RecentEvents } from '../../observe/diagnose/recent-events.ts'
import { type DistantWorkers, serviceDiagnostics } from '../../observe/diagnose/service-diagnostics.ts'
import { hostLines } from '../../observe/metrics/request-metrics.ts'
import { type LiveMetrics, ServiceMetrics } from '../../observe/metrics/service-metrics.ts'
import { storedMetrics } from '../../observe/metrics/stored-metrics.ts'
import { type HealthParts, serviceHealth } from '../../observe/service-health.ts'
import { describeFields } from '../../pipeline/report/describe-fields.ts'
import { openPageModel } from '../../pipeline/report/page-model.ts'
import type { WorkerHeartbeat } from '../../ports/stream-contents.ts'
import type { Health, JobEngine, ServerParts, Within } from '../../server/parts.ts'
import { openBlobSessions } from '../cluster/task-services/blob-sessions.ts'
import type { Engine } from '../engine.ts'
import { llmSettingsOf } from '../llm-settings.ts'
import { serviceRetention } from '../maintenance/service-retention.ts'
import type { DocumentReader } from '../reader/document-reader.ts'
import { ReaderProcess } from '../reader/page-reader.ts'
import { openSessions } from '../sessions.ts'
import type { PreviewLooks } from './preview-looks.ts'

/** The parts of the engine that a service uses. */
export type ServiceEngine = Omit<JobEngine, 'workers'> &
  AsyncDisposable & {
    /** Heartbeats of workers in other processes; undefined if this process does everything. */
    readonly signs?: readonly WorkerHeartbeat[]
    readonly within?: Within
    readonly distant?: DistantWorkers
    /** Creates the health report of a cluster. Without it, the health report of a single process is used. */
    openHealth?(parts: HealthParts): Health
    /** Only set in a process that leads hosts. */
    hostCounts?: Engine['hostCounts']
    workCountsOf?: Engine['workCountsOf']
  } & Pick<
    Engine,
    | 'data'
    | 'bus'
    | 'emit'
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

type ServiceParts = ServerParts & { metrics: ServiceMetrics }

type Beside = Pick<ServiceParts, 'log' | 'ownership' | 'stopping' | 'accepted' | 'webSearch'> & {
  reader: ReaderProcess
  documents: DocumentReader
  looks: PreviewLooks
}

/** A reader process for previews. It ends only after five idle minutes, because a user who tries rules sends many requests
 *  and waits for each result. */
export const openPreviewReader = (): ReaderProcess =>
  new ReaderProcess({ scraperFiles: [] }, { longestMs: 120_000, idleMs: 300_000, isAwaited: true })

export function partsOf(
  engine: ServiceEngine,
  beside: Beside,
  settings: Settings,
  ofProcess?: ServiceMetrics,
): Omit<ServiceParts, 'uploadKey'> {
  const { store, blobs } = engine.data
  const startedAt = systemClock.now()
  const model = llmSettingsOf(settings)
  const workers = () => engine.workers
  const browserPool = () => engine.browserPool
  const liveMetrics = async (): Promise<Partial<LiveMetrics>> => {
    const { inFlight } = workers()
    return {
      ...(await storedMetrics(store, inFlight)),
      ...{ inFlight, concurrency: settings.concurrency },
      activeBrowsers: browserPool()?.browsers.length ?? 0,
      ...(engine.hostCounts && { hosts: engine.hostCounts(hostLines) }),
      ...(engine.workCountsOf && { work: engine.workCountsOf() }),
      proxies: () => engine.proxies.list(),
      diskFree: () => blobs.free(),
    }
  }
  const metrics = new ServiceMetrics(liveMetrics, { within: ofProcess })
  const recent = new RecentEvents()
  engine.listen(recent.hear)
  for (const { file, failure } of engine.registry.broken)
    beside.log.warn({ file }, `${failure.message}; jobs that use other scrapers run`)
  const own: Omit<ServiceParts, 'uploadKey' | 'diagnostics' | 'retention'> = {
    ...{ ...beside, store, blobs, engine, metrics, version, clock: systemClock },
    bus: engine.bus,
    hosts: engine.hosts,
    proxies: engine.proxies,
    sealer: engine.sealer,
    traces: engine.traces,
    scrapers: {
      get: scraperId => engine.registry.get(scraperId),
      credentialsOf: scraperId => engine.registry.providersOf(scraperId),
      ids: () => engine.registry.list().map(({ id }) => id),
      shown: () => shownScrapers(engine.registry),
    },
    health: (engine.openHealth?.bind(engine) ?? serviceHealth)({
      ...{ store, version, startedAt, workers, browserPool, clock: systemClock },
      averageTaskSeconds: () => metrics.averageTaskSeconds,
      browserTrouble: () => engine.browserTrouble(),
      // In a cluster, browsers run in other processes, so this process has no pool.
      poolSize: () => (engine.signs ? 0 : poolSize(settings.browserPoolSize, thisMachine())),
      proxies: async () => proxyHealth(await engine.proxies.list().catch(() => [])),
    }),
    sessions: engine.signs
      ? openBlobSessions({ blobs, sealer: engine.sealer, underLock: (_name, work) => work() })
      : openSessions(engine.data.path),
    fleet: () => ({ workers: engine.signs ?? [ownSign(workers())], browserPool: browserPool() }),
    tryRules: (page, rules) => beside.reader.ask('try-rules', { page, rules }),
    pageTexts: page => beside.reader.ask('texts', { page }),
    pageLook: async page => {
      const look = await beside.reader.ask('look', { page })
      return look && beside.looks.inline(look)
    },
    fieldPlaces: (page, rules) => beside.reader.ask('field-places', { page, rules }),
    pick: (page, request) => beside.reader.ask('pick', { page, request }),
    describe:
      model &&
      ((page, prompt, signal) => {
        const outline = () => beside.reader.ask('outline', { page })
        const pickAll = (picks: DescribedField[]) => beside.reader.ask('pick-all', { page, picks })
        return describeFields({ model, outline, pickAll }, prompt, signal)
      }),
    model: model && openPageModel({ settings: model, store, blobs, stopping: beside.stopping }),
    sheetTexts: sheets => beside.looks.sheetTexts(sheets),
    pageDocument: (page, options) => beside.documents.make(page, options),
    seeAhead: (page, kind) => beside.documents.seeAhead(page, kind),
    exportsFolder: jobId => exportsFolderOf(engine.data, jobId),
    within: engine.within,
  }
  return {
    ...own,
    diagnostics: serviceDiagnostics({ parts: own, settings, recent, distant: engine.distant }),
    retention: serviceRetention(engine, settings),
  }
}

const shownScrapers = (registry: ServiceEngine['registry']): ScrapersShown => ({
  scrapers: registry.list().map(({ id, version, name, description, run }) => ({
    ...{ scraperId: id, version, name, description, kind: run ? ('code' as const) : ('rules' as const) },
  })),
  broken: registry.broken.map(({ file, failure }) => ({ file, message: failure.message })),
})

/** Health of the operator's proxies. Proxies of providers and of jobs are left out. */
function proxyHealth(states: readonly ProxyState[]) {
  const own = states.filter(({ source }) => source === 'operator')
  const healthy = own.filter(({ isHealthy }) => isHealthy).length
  const each = own.map(({ isHealthy, successes, failures }) => ({ healthy: isHealthy, successes, failures }))
  return { configured: own.length > 0, healthy, unhealthy: own.length - healthy, each }
}

/** The heartbeat of a single process that does everything. */
const ownSign = ({ alive, inFlight }: { alive: number; inFlight: number }): WorkerHeartbeat => ({
  ...{ name: `${hostname()} (${process.pid})`, role: 'all-in-one', concurrency: alive, held: inFlight },
  memoryBytes: process.memoryUsage.rss(),
  startedAt: Math.round(performance.timeOrigin),
})
