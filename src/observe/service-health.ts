// The health of the service: data of /health and /readiness.

import type { BrowserPool } from '../model/events.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Health, HealthReport, Readiness } from '../server/parts.ts'
import { readinessCheck } from './readiness-check.ts'

export interface HealthParts {
  store: Store
  clock: Clock
  version: string
  startedAt: number
  /** Running lanes and tasks in flight. */
  workers: () => { alive: number; inFlight: number }
  averageTaskSeconds: () => number | null
  /** Null before the first browser starts, and in a cluster without browser workers. */
  browserPool: () => BrowserPool | null
  /** Pages in the pool of this process; 0 if other processes run the browsers. */
  poolSize: () => number
  /** Why a needed browser is not available; null if it is, or none is needed. May start one. */
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
      // Before the checks, because one of them uses a page of the pool.
      const pool = parts.browserPool()
      return reportOf({ ...parts, browserPool: () => pool }, await readiness(parts))
    },
    readiness: () => readiness(parts),
  }
}

/** Degraded if any check fails, even an optional one. */
export async function reportOf(parts: HealthParts, { checks }: Readiness): Promise<HealthReport> {
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
      // Waiting tasks without those in flight.
      queueDepth: Math.max(0, tasks - inFlight),
      activeWorkers: inFlight,
      avgDuration: parts.averageTaskSeconds(),
    },
  }
}

/** Public, so without single browsers. A pool without a running browser can start one, so it counts as available. */
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

/** A write without a change, because a read-only store is useless for jobs. */
async function writeTrouble(store: Store): Promise<null> {
  await store.checkWritable()
  return null
}

const proxyTrouble = ({ configured, healthy }: ProxyCounts): string | null =>
  configured && healthy === 0 ? 'none of the proxies is healthy' : null
