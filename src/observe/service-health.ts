// Whether the service is well: what /health and /readiness say.

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
  /** Lanes that take work, and what they have in hand. */
  workers: () => { alive: number; inFlight: number }
  averageTaskSeconds: () => number | null
  /** Null before the first browser starts, and in a cluster without browser workers. */
  browserPool: () => BrowserPool | null
  /** Pages that the pool of this process would hold; 0 where other processes have the browsers. */
  poolSize: () => number
  /** Why a browser that is needed can't be had; null when it can, or none is needed. It may try one. */
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
    report: async () => reportOf(parts, await readiness(parts)),
    readiness: () => readiness(parts),
  }
}

/** Degraded where any check fails, also one without which it is ready. */
export async function reportOf(parts: HealthParts, { checks }: Readiness): Promise<HealthReport> {
  // A store that says nothing is not asked another question.
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
      // What waits, and what is being worked on.
      queueDepth: Math.max(0, tasks - inFlight),
      activeWorkers: inFlight,
      avgDuration: parts.averageTaskSeconds(),
    },
  }
}

/** Anyone may ask: single browsers are for operators. A pool without a browser can start one, so it is available. */
function poolOf(pool: BrowserPool | null, size: number): HealthReport['browserPool'] {
  if (!pool) return { total: size, available: size, inUse: 0, pagesProcessed: 0, recycledCount: 0 }
  const { browsers: _browsers, ...counts } = pool
  return counts
}

async function readiness(parts: HealthParts): Promise<Readiness> {
  const { clock } = parts
  const [stored, browser, proxies] = await Promise.all([
    storeCheck(parts),
    readinessCheck(clock, 'the browser did not load a page', () => parts.browserTrouble()),
    readinessCheck(clock, 'nobody said how the proxies are', async () => proxyTrouble(await parts.proxies())),
  ])
  const workers = parts.workers().alive > 0 ? 'ok' : 'no worker is alive'
  const checks = { store: stored, workers, browser, proxies }
  return { ready: areFine(checks), checks }
}

const areFine = (checks: Readiness['checks']): boolean => Object.values(checks).every(check => check === 'ok')

export const storeCheck = ({ clock, store }: Pick<HealthParts, 'clock' | 'store'>): Promise<string> =>
  readinessCheck(clock, 'the store did not answer', () => writeTrouble(store))

/** A write that changes nothing: a store that can only be read is of no use to a job. */
async function writeTrouble(store: Store): Promise<null> {
  await store.checkWritable()
  return null
}

const proxyTrouble = ({ configured, healthy }: ProxyCounts): string | null =>
  configured && healthy === 0 ? 'none of the proxies is healthy' : null
