// Counts of hosts: open breakers, slowed and paused hosts, and the worst hosts by name.
import type { HostCounts, TroubledHost } from '../model/host.ts'
import type { HostEntry } from './host-entry.ts'
import { rateFactorAt } from './slowdown.ts'

const noHosts = (): HostCounts => ({
  breakers: { closed: 0, open: 0, half_open: 0 },
  ...{ slowed: 0, paused: 0, troubled: [] },
})

/** Counts hosts by state. `mostNamed` is the number of troubled hosts that are listed. */
export function hostCountsOf(entries: Iterable<HostEntry>, now: number, mostNamed: number): HostCounts {
  const counts = noHosts()
  for (const entry of entries) {
    const breaker = entry.breaker.state(now)
    const rateFactor = rateFactorAt(entry, entry.policy.slowdown, now)
    counts.breakers[breaker] += 1
    if (rateFactor < 1) counts.slowed += 1
    if (Math.max(entry.retryAfterUntil, entry.pausedUntil) > now) counts.paused += 1
    if (breaker !== 'closed' || rateFactor < 1)
      counts.troubled.push({ host: entry.host, breaker, rateFactor })
  }
  return { ...counts, troubled: worst(counts.troubled, mostNamed) }
}

/** Merges the counts of disjoint host tables. */
export function joinHostCounts(tables: readonly HostCounts[], mostNamed: number): HostCounts {
  const all = noHosts()
  for (const { breakers, slowed, paused, troubled } of tables) {
    for (const [state, count] of Object.entries(breakers))
      all.breakers[state as keyof typeof breakers] += count
    all.slowed += slowed
    all.paused += paused
    all.troubled.push(...troubled)
  }
  return { ...all, troubled: worst(all.troubled, mostNamed) }
}

const worst = (troubled: TroubledHost[], most: number): TroubledHost[] =>
  troubled.sort((one, other) => trouble(other) - trouble(one)).slice(0, most)

/** The rank of a troubled host. A host with an open breaker ranks above a host that is only slowed down. */
const trouble = ({ breaker, rateFactor }: TroubledHost): number =>
  ({ open: 2, half_open: 1, closed: 0 })[breaker] + (1 - rateFactor)
