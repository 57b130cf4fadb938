// Politeness metrics of hosts: breakers, slowdowns, pauses, robots.txt. Reported by processes with a host table.
import { Counter, Gauge } from 'prom-client'
import type { HostCounts } from '../../model/host.ts'
import type { Live, OpenGroup } from './group.ts'
import { hostLines } from './request-metrics.ts'

export const hostMetrics: OpenGroup = (registry, live) => {
  const registers = [registry]
  addHostCounts(registers, live)
  const throttled = new Counter({
    ...{ name: 'kscrape_hosts_throttled_total', registers },
    help: 'Responses that asked us to slow down',
  })
  const robots = new Counter({
    ...{ name: 'kscrape_robots_read_total', registers, labelNames: ['verdict'] },
    help: 'robots.txt requests, by verdict',
  })
  return {
    'host.throttled': () => throttled.inc(),
    'robots.read': ({ verdict }) => robots.inc({ verdict }),
  }
}

type SetGauge = (gauge: Gauge, counts: HostCounts) => void

function addHostCounts(registers: ConstructorParameters<typeof Gauge>[0]['registers'], live: Live): void {
  const gauge = (name: string, help: string, labelNames: string[], set: SetGauge): void => {
    new Gauge({
      ...{ name: `kscrape_${name}`, help, labelNames, registers: registers! },
      async collect() {
        const { hosts } = await live()
        this.reset()
        if (hosts) set(this, hosts)
      },
    })
  }
  gauge('hosts', 'Known hosts, by the state of their breaker', ['breaker'], (it, { breakers }) => {
    for (const [breaker, count] of Object.entries(breakers)) it.set({ breaker }, count)
  })
  gauge('hosts_slowed', 'Hosts with a lower rate because they answered 429', [], (it, counts) =>
    it.set(counts.slowed),
  )
  gauge('hosts_paused', 'Hosts without requests because of Retry-After or a pause', [], (it, counts) =>
    it.set(counts.paused),
  )
  gauge(
    'host_breaker_open',
    `Hosts whose breaker is open (1) or half-open (0.5); at most ${hostLines} hosts`,
    ['host'],
    (it, { troubled }) => {
      for (const { host, breaker } of troubled)
        if (breaker !== 'closed') it.set({ host }, breaker === 'open' ? 1 : 0.5)
    },
  )
  gauge(
    'host_rate_factor',
    `Share of the usual rate at hosts that answered 429; at most ${hostLines} hosts`,
    ['host'],
    (it, { troubled }) => {
      for (const { host, rateFactor } of troubled) if (rateFactor < 1) it.set({ host }, rateFactor)
    },
  )
}
