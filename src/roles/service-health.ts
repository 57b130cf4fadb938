// Whether the service is well: what /health and /readiness say.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { BrowserPoolStats, Health, HealthReport, Readiness } from '../server/parts.ts'

export interface HealthParts {
  store: Store
  clock: Clock
  version: string
  startedAt: number
  /** Lanes that take work, and what they have in hand. */
  workers: () => { alive: number; inFlight: number }
  averageTaskSeconds: () => number | null
  /** Null where there is no pool: no job asked for a browser yet, or there is none to start. */
  browserPool: () => BrowserPoolStats | null
  /** Why a browser that is needed can't be had; null when it can, or none is needed. */
  browserTrouble: () => string | null
  proxies: () => { configured: boolean; healthy: number; unhealthy: number }
}

export function serviceHealth(parts: HealthParts): Health {
  return { report: () => report(parts), readiness: () => readiness(parts) }
}

async function report(parts: HealthParts): Promise<HealthReport> {
  const { ready } = await readiness(parts)
  const { tasks } = await parts.store.jobs.load().catch(() => ({ tasks: 0 }))
  const { inFlight } = parts.workers()
  const { healthy, unhealthy } = parts.proxies()
  return {
    status: ready ? 'ok' : 'degraded',
    version: parts.version,
    uptimeSeconds: Math.floor((parts.clock.now() - parts.startedAt) / 1_000),
    browserPool: parts.browserPool(),
    proxies: { healthy, unhealthy },
    queue: {
      // What waits, and what is being worked on.
      queueDepth: Math.max(0, tasks - inFlight),
      activeWorkers: inFlight,
      avgDuration: parts.averageTaskSeconds(),
    },
  }
}

async function readiness(parts: HealthParts): Promise<Readiness> {
  const checks: Record<string, string> = {
    store: await storeCheck(parts.store),
    workers: parts.workers().alive > 0 ? 'ok' : 'no worker is alive',
    browser: parts.browserTrouble() ?? 'ok',
    proxies: proxyCheck(parts.proxies()),
  }
  return { ready: Object.values(checks).every(check => check === 'ok'), checks }
}

function proxyCheck({ configured, healthy }: ReturnType<HealthParts['proxies']>): string {
  return configured && healthy === 0 ? 'none of the proxies is healthy' : 'ok'
}

/** A write that changes nothing: a store that can only be read is of no use to a job. */
async function storeCheck(store: Store): Promise<string> {
  try {
    await store.checkWritable()
    return 'ok'
  } catch (error) {
    return asFailure(error).code
  }
}
