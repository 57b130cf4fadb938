// Metrics of other events: ended jobs, webhooks, rows of files, proxies.
import { Counter, Gauge, Histogram } from 'prom-client'
import type { ProxyState } from '../../model/policy/proxy.ts'
import { usualSeconds } from './commit-metrics.ts'
import type { Facts, OpenGroup } from './group.ts'
import { inTime } from './in-time.ts'

export const jobMetrics: OpenGroup = registry => {
  const registers = [registry]
  const jobs = new Counter({
    ...{ name: 'kscrape_jobs_total', help: 'Jobs that ended, by state', registers },
    labelNames: ['state'],
  })
  const seconds = new Histogram({
    ...{ name: 'kscrape_job_duration_seconds', help: 'Duration of jobs', registers },
    buckets: usualSeconds,
  })
  return {
    'job.ended': ({ state, durationMs }) => {
      jobs.inc({ state })
      if (durationMs !== null) seconds.observe(durationMs / 1_000)
    },
  }
}

const outcomes: ReadonlyArray<Facts['webhook.tried']['outcome']> = ['delivered', 'pending', 'dead']

export const webhookMetrics: OpenGroup = registry => {
  const webhooks = new Counter({
    ...{ name: 'kscrape_webhook_deliveries_total', registers: [registry], labelNames: ['outcome'] },
    help: 'Delivery attempts of webhooks, by outcome',
  })
  // Create each series with 0. Prometheus would not see the increase of a series that starts with 1.
  for (const outcome of outcomes) webhooks.inc({ outcome }, 0)
  return { 'webhook.tried': ({ outcome }) => webhooks.inc({ outcome }) }
}

export const rowMetrics: OpenGroup = registry => {
  const rows = new Counter({
    ...{ name: 'kscrape_rows_total', registers: [registry], labelNames: ['outcome'] },
    help: 'Rows read from files, by outcome',
  })
  return {
    'rows.read': outcomes => {
      for (const [outcome, count] of Object.entries(outcomes)) rows.inc({ outcome }, count)
    },
  }
}

/** Metrics of proxies. The label is the name of the proxy. The name contains no secret, and the configuration limits
 *  the number of names. */
export const proxyMetrics: OpenGroup = (registry, live) => {
  const gauge = (name: string, help: string, value: (state: ProxyState) => number): void => {
    new Gauge({
      ...{ name: `kscrape_proxy_${name}`, help, registers: [registry], labelNames: ['proxy'] },
      async collect() {
        const { proxies } = await live()
        const states = proxies ? await inTime(proxies(), []) : []
        this.reset()
        for (const state of states) this.set({ proxy: state.name }, value(state))
      },
    })
  }
  gauge('healthy', 'Whether a proxy is healthy', ({ isHealthy }) => Number(isHealthy))
  gauge('successes', 'Tasks that got a response through a proxy', ({ successes }) => successes)
  gauge('failures', 'Tasks that failed because of a proxy', ({ failures }) => failures)
  return undefined
}
