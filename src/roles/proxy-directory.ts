// The proxies of a running engine: their health, and checks on demand.

import { findProxies, jobProxies, noProxies } from '../fetch/proxies/job-proxies.ts'
import type { ProxySet } from '../fetch/proxies/proxy-set.ts'
import { type ProxyState, proxyPolicy } from '../model/policy/proxy.ts'
import type { Coordinator } from '../pipeline/coordinate/coordinator.ts'
import type { ProxyDirectory } from '../server/parts.ts'

export function proxyDirectory({ context }: Pick<Coordinator, 'context'>): ProxyDirectory {
  return {
    list: async () => states(context),
    judge: proxy => jobProxies(context.proxies?.operator ?? noProxies, proxyPolicy.parse(proxy)).warnings,
    find: options => findProxies(context.proxies?.operator ?? noProxies, options),
    check: async () => {
      const { proxies, clock } = context
      if (!proxies?.proxySet) return []
      await Promise.all(
        proxies.operator.proxies.map(async endpoint => {
          const found = await proxies.check(endpoint, null, null).catch(() => null)
          if (found) proxies.proxySet?.checked(endpoint.name, found, clock.now())
        }),
      )
      return states(context)
    },
  }
}

/** The operator's proxies first, then those of providers in use. Proxies that a job brings are not listed. */
function states(context: Coordinator['context']): ProxyState[] {
  const shared = context.proxies?.proxySet ?? null
  const others = new Set<ProxySet>()
  for (const { identities } of context.jobs.values())
    for (const { proxySet } of identities?.proxySets ?? []) if (proxySet !== shared) others.add(proxySet)
  const ofProviders = [...others].flatMap(({ states }) => states).filter(({ source }) => source !== 'job')
  return mergedStates([...(shared?.states ?? []), ...ofProviders])
}

/** Merges the reports of several processes or jobs about the same proxy. The proxy is healthy if all reports say so. */
export function mergedStates(states: readonly ProxyState[]): ProxyState[] {
  const byName = new Map<string, ProxyState>()
  for (const state of states) {
    const known = byName.get(state.name)
    byName.set(state.name, known ? joined(known, state) : state)
  }
  return [...byName.values()]
}

const joined = (one: ProxyState, other: ProxyState): ProxyState => ({
  ...(one.isHealthy ? other : one),
  successes: one.successes + other.successes,
  failures: one.failures + other.failures,
})
