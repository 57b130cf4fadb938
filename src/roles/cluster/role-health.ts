// How the roles of one process are: measured, logged, and shown on a port of their own where one is set.
import { openPostgresBacklog } from '../../adapters/postgres/backlog.ts'
import { systemClock } from '../../lib/clocks.ts'
import { asFailure } from '../../model/failures.ts'
import { startHealthServer } from '../../server/health-server.ts'
import type { Readiness } from '../../server/parts.ts'
import { ServiceMetrics } from '../metrics.ts'
import { telemetry } from '../telemetry.ts'
import type { RoleParts, Running } from './role.ts'
import { needed, openStore, openStreams } from './services.ts'

/** Listens to what the roles say, and answers for them. */
export async function watchRoles(
  opened: AsyncDisposableStack,
  parts: RoleParts,
  running: ReadonlyMap<string, Running>,
): Promise<{ healthPort: number | null }> {
  const { settings, log, events } = parts
  const store = opened.use(await openStore(settings))
  const backlog = opened.use(await openPostgresBacklog(needed(settings, 'databaseUrl')))
  const inFlight = () => running.values().reduce((sum, role) => sum + role.held(), 0)
  const metrics = new ServiceMetrics(
    async () => {
      const { jobs, tasks } = await store.jobs.load()
      return { queueDepth: tasks, jobs, inFlight: inFlight(), activeBrowsers: 0 }
    },
    () => backlog.read(),
  )
  const job = (jobId: string) => store.jobs.get(jobId)
  opened.defer(events.listen(telemetry({ log, metrics, clock: systemClock, job, requestOf: () => null })))
  if (settings.healthPort === undefined) return { healthPort: null }
  const contents = opened.use(await openStreams(settings))
  const readiness = async (): Promise<Readiness> => {
    const checks = {
      store: await checked(() => store.checkWritable()),
      queue: await checked(() => contents.workers()),
    }
    return { ready: Object.values(checks).every(check => check === 'ok'), checks }
  }
  const place = { host: settings.host, port: settings.healthPort }
  const server = opened.use(await startHealthServer({ readiness, metrics }, place))
  return { healthPort: server.port }
}

async function checked(look: () => Promise<unknown>): Promise<string> {
  try {
    await look()
    return 'ok'
  } catch (error) {
    return asFailure(error).code
  }
}
