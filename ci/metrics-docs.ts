// docs/metrics.md, made from the metrics themselves: it has everything that a service registers.
import { reportingRoles } from '../src/observe/metrics/reporting-roles.ts'
import { ServiceMetrics } from '../src/observe/metrics/service-metrics.ts'

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
  /** `serve`, or roles of a cluster, that export the metric. */
  by: string[]
}

export async function metricsPage(): Promise<string> {
  const rows = (await described()).map(
    ({ name, type, labels, help, by }) =>
      `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ') || '—'} | ${help} | ${tellersOf(by)} |`,
  )
  return `<!-- Made from src/observe/metrics/service-metrics.ts by \`npm run docs\`. Change it there. -->
# Metrics

Every process exports metrics in Prometheus' format. \`kscrape serve\` and the API serve \`/metrics\` on their port. The route needs a key, unless
\`SCRAPER_OPEN_METRICS\` is on. Every role of a cluster serves \`/metrics\` on \`SCRAPER_HEALTH_PORT\`. With \`Accept: application/json\`
the service returns a short summary.

The number of label values is limited. Only the twenty busiest hosts have their own line (\`GET /hosts\` lists all hosts).
Outcomes are failure codes ([troubleshooting.md](troubleshooting.md#codes-at-a-glance)), and routes are patterns.

The last column of the table names the roles that export a metric. \`serve\` is the service in one process. Every event is counted once, so the \`sum\` over all processes is correct.

Some metrics describe the whole cluster: \`kscrape_queue_depth\`, \`kscrape_jobs_open\`, \`kscrape_tasks_by_state\`, \`kscrape_next_retry_seconds\`,
\`kscrape_backlog\` and \`kscrape_backlog_age_seconds\`. They come from the store, and several processes export them, so use \`max\`. They are missing while the store is down.

The worker that fetches a page exports the duration of the fetch. The process that commits the task exports its outcome. This process is the
processor, or the worker itself if a caller waits for the page.

Scale the roles of a cluster on \`kscrape_runnable\`. Every leading coordinator exports it for all shards, so use \`max\`; see [scaling.md](scaling.md#scale-on-runnable-work).

| metric | kind | labels | meaning | exported by |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

Dashboards for Grafana are in \`deploy/grafana/dashboards\`, and alerts are in \`deploy/prometheus/rules.yaml\`. Each alert has a page in
[docs/runbooks](runbooks/README.md). \`npm test -- operations\` runs every query of the dashboards and alerts on a real Prometheus.
`
}

/** Every metric once, with all roles that report it. */
async function described(): Promise<Described[]> {
  const byName = new Map<string, Described>()
  for (const teller of reportingRoles)
    for (const metric of await new ServiceMetrics(async () => nothing, { by: [teller] }).described()) {
      const known = byName.get(metric.name) ?? { ...metric, by: [] }
      known.by.push(teller)
      byName.set(metric.name, known)
    }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

const nothing = { queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 }

const tellersOf = (by: string[]): string =>
  by.length === reportingRoles.length ? 'all' : by.map(name => `\`${name}\``).join(', ')
