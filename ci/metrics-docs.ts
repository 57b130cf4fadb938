// docs/metrics.md, from the metrics themselves: whatever a service registers is in it.
import { tellers } from '../src/observe/figures/tellers.ts'
import { ServiceMetrics } from '../src/observe/metrics.ts'

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
  /** `serve`, or roles of a cluster. */
  by: string[]
}

export async function metricsPage(): Promise<string> {
  const rows = (await described()).map(
    ({ name, type, labels, help, by }) =>
      `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ') || '—'} | ${help} | ${tellersOf(by)} |`,
  )
  return `<!-- Made from src/observe/metrics.ts by \`npm run docs\`. Change it there. -->
# Metrics

Every process tells its figures in Prometheus' format: \`kscrape serve\` and the API at \`/metrics\` of their port (with a key, or without
one where \`SCRAPER_OPEN_METRICS\` is on), every role of a cluster at \`/metrics\` of \`SCRAPER_HEALTH_PORT\`. With \`Accept: application/json\`
the service tells the few that a person asks for first.

Labels are bounded: hosts have a line of their own only where they are among the twenty asked most (all of them are in \`GET /hosts\`),
outcomes are the reason codes of docs/results.md, routes are patterns.

Each metric is told by those who know it: by \`serve\`, where one process does everything, and in a cluster by the roles named in the last
column. What is counted is counted once, so \`sum\` adds up over processes. What the store knows of the whole cluster (\`kscrape_queue_depth\`,
\`kscrape_jobs_open\`, \`kscrape_tasks_by_state\`, \`kscrape_next_retry_seconds\`, \`kscrape_backlog\`, \`kscrape_backlog_age_seconds\`) is told
by everyone who is asked, so \`max\` is right there; it is left out while the store is away. How long pages took is told by the worker that asked for them, what came of them by whoever wrote it down: the
processor, or the worker itself where somebody waits for the page.

Roles of a cluster are scaled on \`kscrape_runnable\`. Every coordinator that leads tells it for all shards, so use \`max\`; see [scaling.md](scaling.md#scale-on-runnable-work).

| metric | kind | labels | what it tells | told by |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

Dashboards for Grafana are in \`deploy/grafana/dashboards\`, alerts in \`deploy/prometheus/rules.yaml\`; each alert has a page in
[docs/runbooks](runbooks/README.md). \`npm test -- operations\` asks a real Prometheus every query of both.
`
}

/** Every metric once, with all who tell it. */
async function described(): Promise<Described[]> {
  const byName = new Map<string, Described>()
  for (const teller of tellers)
    for (const metric of await new ServiceMetrics(async () => nothing, { by: [teller] }).described()) {
      const known = byName.get(metric.name) ?? { ...metric, by: [] }
      known.by.push(teller)
      byName.set(metric.name, known)
    }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

const nothing = { queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 }

const tellersOf = (by: string[]): string =>
  by.length === tellers.length ? 'all' : by.map(name => `\`${name}\``).join(', ')
