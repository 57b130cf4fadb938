// Health of the roles of one process: metrics, logs, and a health port if one is set.
import { openPostgresBacklog } from '../../adapters/postgres/backlog.ts'
import { joinHostCounts } from '../../dispatch/host-counts.ts'
import { joinWork } from '../../dispatch/wait-summary.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Readiness } from '../../model/api/operations.ts'
import { streams } from '../../model/cluster-messages.ts'
import { hostLines } from '../../observe/metrics/request-metrics.ts'
import { type LiveMetrics, ServiceMetrics } from '../../observe/metrics/service-metrics.ts'
import { storedMetrics } from '../../observe/metrics/stored-metrics.ts'
import { readinessCheck } from '../../observe/readiness-check.ts'
import { telemetry } from '../../observe/telemetry.ts'
import { runnableAheadMs } from '../../pipeline/coordinate/runnable-work.ts'
import type { Backlog, BacklogCounts } from '../../ports/backlog.ts'
import type { Store } from '../../ports/store.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import { mergedStates } from '../proxy-directory.ts'
import type { RoleParts, Running } from './role.ts'
import type { Need, RoleName } from './roles.ts'
import { needed, openStore, openStreams } from './services.ts'

export interface Phase {
  isStopping: boolean
}

/** Subscribes to the events of the roles, and serves their health. */
export async function watchRoles(
  opened: AsyncDisposableStack,
  parts: RoleParts,
  { names, needs }: { names: readonly RoleName[]; needs: ReadonlySet<Need> },
  { running, phase }: { running: ReadonlyMap<RoleName, Running>; phase: Phase },
): Promise<{ healthPort: number | null; metrics: ServiceMetrics }> {
  const { settings, log, events } = parts
  const store = opened.use(await openStore(settings))
  const backlog = opened.use(await openPostgresBacklog(needed(settings, 'databaseUrl')))
  const contents = opened.use(await openStreams(settings, { mayBeAway: true }))
  const known = { store, backlog, contents }
  const metrics = new ServiceMetrics(() => metricsOf(known, [...running.values()]), { by: names })
  const job = (jobId: string) => store.jobs.get(jobId)
  opened.defer(events.listen(telemetry({ log, metrics, clock: systemClock, job })))
  if (settings.healthPort === undefined) return { healthPort: null, metrics }
  const look: Record<Need, () => Promise<string>> = {
    store: () =>
      readinessCheck(systemClock, 'the store did not answer', () => store.checkWritable().then(fine)),
    queue: () => readinessCheck(systemClock, 'Redis did not answer', () => contents.workers().then(fine)),
  }
  const readiness = async (): Promise<Readiness> => {
    const found = await Promise.all([...needs].map(async need => [need, await look[need]()] as const))
    // Roles that are not in `running` are still starting. A role is added when it listens on its port, or when it
    // accepts tasks.
    const starting = names.filter(name => !running.has(name))
    const roles = phase.isStopping
      ? 'stopping'
      : starting.length > 0
        ? `starting ${starting.join(', ')}`
        : 'ok'
    const checks = { roles, ...Object.fromEntries(found) }
    return { ready: Object.values(checks).every(check => check === 'ok'), checks }
  }
  const place = { host: settings.host, port: settings.healthPort }
  const { startHealthServer } = await import('../../server/health-server.ts')
  const server = opened.use(await startHealthServer({ readiness, metrics }, place))
  return { healthPort: server.port, metrics }
}

const fine = (): null => null

interface Known {
  store: Store
  backlog: Backlog
  contents: StreamContents
}

/** The metrics of all roles of this process. Metrics from the store and the streams cover the whole cluster. */
async function metricsOf(
  { store, backlog, contents }: Known,
  running: Running[],
): Promise<Partial<LiveMetrics>> {
  const sum = (read: (role: Running) => number) => running.reduce((total, role) => total + read(role), 0)
  return {
    ...(await storedMetrics(store)),
    inFlight: sum(role => role.held()),
    concurrency: sum(role => role.concurrency ?? 0),
    hosts: joinHostCounts(
      running.flatMap(role => role.hosts?.() ?? []),
      hostLines,
    ),
    work: joinWork(running.flatMap(role => role.work?.() ?? [])),
    proxies: async () =>
      mergedStates((await Promise.all(running.map(role => role.proxies?.() ?? []))).flat()),
    backlog: () => backlog.read(),
    backlogAges: () => agesIn(contents),
    runnable: () => runnableIn(backlog, running),
  }
}

/** Counts of runnable tasks, which only a leader knows. Undefined if no role of this process leads. */
export async function runnableIn(backlog: Backlog, running: Running[]): Promise<BacklogCounts | undefined> {
  if (!running.some(role => role.leads?.())) return undefined
  const [{ ingest }, stored] = await Promise.all([
    backlog.read(),
    backlog.soon(systemClock.now() + runnableAheadMs),
  ])
  const work = running.map(role => role.runnable?.(stored) ?? null).find(one => one !== null)
  return work && { ...work, ingest }
}

export async function agesIn(contents: StreamContents): Promise<BacklogCounts> {
  const ageOf = async (stream: string) => (await contents.waitingMs(stream)) / 1_000
  const [http, browser, process, ingest] = await Promise.all([
    ageOf(streams.http),
    ageOf(streams.browser),
    ageOf(streams.process),
    ageOf(streams.ingest),
  ])
  return { http, browser, process, ingest }
}
