// Metrics of requests, reported by the worker (duration, size, host) and by the process that commits the outcome.
import { Counter, Gauge, Histogram } from 'prom-client'
import { TopCounts } from '../../lib/collections/top-counts.ts'
import type { OpenGroup } from './group.ts'

/** Number of hosts with their own series. The API `/hosts` lists all hosts. */
export const hostLines = 20
const requestSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const fetchMetrics: OpenGroup = registry => {
  const registers = [registry]
  const seconds = new Histogram({
    ...{
      name: 'kscrape_request_duration_seconds',
      help: 'Duration of page requests, by fetch mode',
      registers,
    },
    ...{ buckets: requestSeconds, labelNames: ['way'] },
  })
  const bytes = new Counter({
    ...{ name: 'kscrape_response_bytes_total', help: 'Bytes of received pages, by fetch mode', registers },
    labelNames: ['way'],
  })
  const hosts = new TopCounts(hostLines)
  new Gauge({
    ...{ name: 'kscrape_host_requests', registers, labelNames: ['host'] },
    help: `Requests to the ${hostLines} busiest hosts`,
    collect() {
      this.reset()
      for (const [host, count] of hosts.top()) this.set({ host }, count)
    },
  })
  return {
    'page.fetched': page => {
      seconds.observe({ way: page.way }, page.ms / 1_000)
      bytes.inc({ way: page.way }, page.bytes)
      hosts.add(page.host)
    },
  }
}

export const outcomeMetrics: OpenGroup = registry => {
  const requests = new Counter({
    ...{ name: 'kscrape_requests_total', registers: [registry], labelNames: ['way', 'outcome'] },
    help: 'Page requests, by fetch mode and outcome',
  })
  return { 'page.judged': ({ way, outcome }) => requests.inc({ way, outcome }) }
}
