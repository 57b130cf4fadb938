// Whether the service is well: what /health and /readiness say.

import type { BrowserPool } from '../model/events.ts'
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Health, HealthReport, Readiness } from '../server/parts.ts'

export interface HealthParts {
  store: Store
  clock: Clock
  version: string
  startedAt: number
  /** Lanes that take work, and what they have in hand. */
  workers: () => { alive: number; inFlight: number }
  averageTaskSeconds: () => number | null
  /** Null where there is no pool: no job asked for a browser yet, or there is none to start. */
  browserPool: () => BrowserPool | null
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
  return { report: () => report(parts), readiness: () => readiness(parts) }
}

async function report(parts: HealthParts): Promise<HealthReport> {
  const { ready } = await readiness(parts)
  const { tasks } = await parts.store.jobs.load().catch(() => ({ tasks: 0 }))
  const { inFlight } = parts.workers()
  const { healthy, unhealthy, each } = await parts.proxies()
  return {
    status: ready ? 'ok' : 'degraded',
    version: parts.version,
    uptimeSeconds: Math.floor((parts.clock.now() - parts.startedAt) / 1_000),
    browserPool: poolOf(parts.browserPool()),
    proxies: { healthy, unhealthy, each },
    queue: {
      // What waits, and what is being worked on.
      queueDepth: Math.max(0, tasks - inFlight),
      activeWorkers: inFlight,
      avgDuration: parts.averageTaskSeconds(),
    },
  }
}

/** Anyone may ask: single browsers are for operators. */
function poolOf(pool: BrowserPool | null): HealthReport['browserPool'] {
  if (!pool) return null
  const { browsers: _browsers, ...counts } = pool
  return counts
}

async function readiness(parts: HealthParts): Promise<Readiness> {
  const checks: Record<string, string> = {
    store: await storeCheck(parts.store),
    workers: parts.workers().alive > 0 ? 'ok' : 'no worker is alive',
    browser: await browserCheck(parts),
    proxies: proxyCheck(await parts.proxies()),
  }
  return { ready: Object.values(checks).every(check => check === 'ok'), checks }
}

/** Whoever probes waits for no browser that hangs: what is not known in time counts as trouble. */
const longestTrialMs = 5_000

async function browserCheck({ browserTrouble, clock }: HealthParts): Promise<string> {
  const known = new AbortController()
  const tooLong = clock.sleep(longestTrialMs, known.signal).then(
    () => `the browser did not load a page within ${longestTrialMs / 1_000} s`,
    () => null,
  )
  const trouble = await Promise.race([browserTrouble(), tooLong]).finally(() => known.abort())
  return trouble ?? 'ok'
}

function proxyCheck({ configured, healthy }: ProxyCounts): string {
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
