// The health of the service: the data of the routes /health and /readiness.

import type { HealthReport, Readiness, WholeHealthReport } from '../model/api/operations.ts'
import type { BrowserPool } from '../model/events.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Health } from '../server/parts.ts'
import { readinessCheck } from './readiness-check.ts'

export interface HealthParts {
  store: Store
  clock: Clock
  version: string
  startedAt: number
  /** Number of running lanes (in a cluster: of workers that fetch pages), and of tasks in flight. */
  workers: () => { alive: number; inFlight: number }
  averageTaskSeconds: () => number | null
  /** The browser pool. Null before the first browser starts, and in a cluster without browser workers. */
  browserPool: () => BrowserPool | null
  /** Size of the browser pool of this process in pages; 0 if other processes run the browsers. */
  poolSize: () => number
  /** Why a needed browser is not available. Null if it is available or none is needed. The check may start a browser. */
  browserTrouble: () => Promise<string | null>
  proxies: () => ProxyCounts | Promise<ProxyCounts>
}

interface ProxyCounts {
  configured: boolean
  healthy: number
  unhealthy: number
  each: HealthReport['proxies']['each']
}

export function serviceHealth(parts: HealthParts): Health {
  return {
    report: async () => {
      // Read the pool before the checks, because one of them uses a page of the pool.
      const pool = parts.browserPool()
      return reportOf({ ...parts, browserPool: () => pool }, await readiness(parts))
    },
    readiness: () => readiness(parts),
  }
}

/** The health report. Its status is degraded if any check fails, even an optional one. */
export async function reportOf(parts: HealthParts, { checks }: Readiness): Promise<WholeHealthReport> {
  // If the store does not respond, it is not queried again.
  const { tasks } =
    checks.store === 'ok' ? await parts.store.jobs.load().catch(() => ({ tasks: 0 })) : { tasks: 0 }
  const { inFlight } = parts.workers()
  const { healthy, unhealthy, each } = await parts.proxies()
  return {
    status: areFine(checks) ? 'ok' : 'degraded',
    version: parts.version,
    uptimeSeconds: Math.floor((parts.clock.now() - parts.startedAt) / 1_000),
    browserPool: poolOf(parts.browserPool(), parts.poolSize()),
    proxies: { healthy, unhealthy, each },
    queue: {
      queueDepth: Math.max(0, tasks - inFlight),
      activeWorkers: inFlight,
      avgDuration: parts.averageTaskSeconds(),
    },
  }
}

/** The counts of the pool. Single browsers are left out, because the report is public. If no browser runs yet, all pages count as
 *  available, because a browser can be started. */
function poolOf(pool: BrowserPool | null, size: number): HealthReport['browserPool'] {
  if (!pool) return { total: size, available: size, inUse: 0, pagesProcessed: 0, recycledCount: 0 }
  const { browsers: _browsers, seats: _seats, ...counts } = pool
  return counts
}

async function readiness(parts: HealthParts): Promise<Readiness> {
  const { clock } = parts
  const [stored, browser, proxies] = await Promise.all([
    storeCheck(parts),
    readinessCheck(clock, 'the browser did not load a page', () => parts.browserTrouble()),
    readinessCheck(clock, 'the state of the proxies is unknown', async () =>
      proxyTrouble(await parts.proxies()),
    ),
  ])
  const workers = parts.workers().alive > 0 ? 'ok' : 'no worker is alive'
  const checks = { store: stored, workers, browser, proxies }
  return { ready: areFine(checks), checks }
}

const areFine = (checks: Readiness['checks']): boolean => Object.values(checks).every(check => check === 'ok')

export const storeCheck = ({ clock, store }: Pick<HealthParts, 'clock' | 'store'>): Promise<string> =>
  readinessCheck(clock, 'the store did not answer', () => writeTrouble(store))

/** Checks that the store accepts writes, because jobs cannot run on a read-only store. The check changes nothing. */
async function writeTrouble(store: Store): Promise<null> {
  await store.checkWritable()
  return null
}

const proxyTrouble = ({ configured, healthy }: ProxyCounts): string | null =>
  configured && healthy === 0 ? 'none of the proxies is healthy' : null
