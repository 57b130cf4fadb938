// Makes docs/metrics.md from the metrics that the roles register, so that no metric is missing.
import { reportingRoles } from '../src/observe/metrics/reporting-roles.ts'
import { ServiceMetrics } from '../src/observe/metrics/service-metrics.ts'

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
  /** The roles that export the metric: `serve`, or roles of a cluster. */
  by: string[]
}

export async function metricsPage(): Promise<string> {
  const rows = (await described()).map(
    ({ name, type, labels, help, by }) =>
      `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ') || '—'} | ${help} | ${roleNames(by)} |`,
  )
  return `<!-- Made from src/observe/metrics/service-metrics.ts by \`npm run docs\`. Change it there. -->
# Metrics

This page lists every metric that kscrape exports, in the format of Prometheus. [runbooks](runbooks/README.md) describes the alerts.

- **Address.** \`kscrape serve\` and the API serve \`/metrics\` on their port. This route needs a key, unless \`SCRAPER_OPEN_METRICS\` is on. Every role of a cluster serves \`/metrics\` on \`SCRAPER_HEALTH_PORT\`, without a key. With \`Accept: application/json\` the service returns a short summary.
- **Roles.** The last column of the table names the roles that export a metric. \`serve\` is the service in one process.
- **Labels.** Only the twenty busiest hosts have their own line (\`GET /hosts\` lists all hosts). Outcomes are failure codes ([troubleshooting.md](troubleshooting.md#codes-at-a-glance)), and routes are patterns such as \`/jobs/:jobId\`.
- **Sums.** Every event is counted once, so add up the values of all processes with \`sum\`. The worker that fetches a page exports the duration of the fetch. The process that commits the task exports its outcome: the processor, or the worker itself if a caller waits for the page.
- **Values of the whole cluster.** Several processes export the same values of \`kscrape_queue_depth\`, \`kscrape_jobs_open\`, \`kscrape_tasks_by_state\`, \`kscrape_next_retry_seconds\`, \`kscrape_backlog\` and \`kscrape_backlog_age_seconds\`, so use \`max\`. These values come from the store, and are missing while it is down.
- **Scaling.** Scale the roles of a cluster on \`kscrape_runnable\`, also with \`max\` ([scaling.md](scaling.md#scale-on-runnable-work)).

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
  for (const role of reportingRoles)
    for (const metric of await new ServiceMetrics(async () => nothing, { by: [role] }).described()) {
      const known = byName.get(metric.name) ?? { ...metric, by: [] }
      known.by.push(role)
      byName.set(metric.name, known)
    }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

const nothing = { queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 }

const roleNames = (by: string[]): string =>
  by.length === reportingRoles.length ? 'all' : by.map(name => `\`${name}\``).join(', ')
