// Health of an API process of a cluster. It is ready when it can serve callers; workers may be scaled to zero, and Redis may be down.
import { type HealthParts, reportOf, storeCheck } from '../../observe/service-health.ts'
import type { Health, Readiness } from '../../server/parts.ts'

/** The leader knows the proxies; without one, callers do not wait for it. */
const proxiesWithinMs = 1_000
const noProxies = { configured: false, healthy: 0, unhealthy: 0, each: [] }

/** `trouble` tells of runnable work that has had no worker for too long: the service is degraded then, but it accepts jobs. */
export function clusterHealth(parts: HealthParts, trouble: () => string | null): Health {
  const readiness = async (): Promise<Readiness> => {
    const store = await storeCheck(parts)
    return { ready: store === 'ok', checks: { store, workers: trouble() ?? 'ok' } }
  }
  const proxies = () => soonOr(Promise.resolve(parts.proxies()), noProxies)
  return {
    readiness,
    report: async () => reportOf({ ...parts, proxies }, await readiness()),
  }
}

async function soonOr<Value>(asked: Promise<Value>, fallback: Value): Promise<Value> {
  const late = Promise.withResolvers<Value>()
  const timer = setTimeout(() => late.resolve(fallback), proxiesWithinMs)
  return Promise.race([asked.catch(() => fallback), late.promise]).finally(() => clearTimeout(timer))
}
