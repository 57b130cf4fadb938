// docs/metrics.md, from the metrics themselves: whatever a service registers is in it.
import { ServiceMetrics } from '../src/roles/metrics.ts'

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
}

export async function metricsPage(): Promise<string> {
  const rows = (await described()).map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map(label => `\`${label}\``).join(', ') || '—'} | ${help} |`,
  )
  return `<!-- Made from src/roles/metrics.ts by \`npm run docs\`. Change it there. -->
# Metrics

Every process tells its figures in Prometheus' format: \`kscrape serve\` and the API at \`/metrics\` of their port (with a key, or without
one where \`SCRAPER_OPEN_METRICS\` is on), every role of a cluster at \`/metrics\` of \`SCRAPER_HEALTH_PORT\`. With \`Accept: application/json\`
the service tells the few that a person asks for first.

Labels are bounded: hosts have a line of their own only where they are among the twenty asked most (all of them are in \`GET /hosts\`),
outcomes are the reason codes of docs/results.md, routes are patterns. \`kscrape_backlog\` is told by the roles of a cluster and not by one
process, which has nothing to scale.

| metric | kind | labels | what it tells |
| --- | --- | --- | --- |
${rows.join('\n')}

Dashboards for Grafana are in \`deploy/grafana/dashboards\`, alerts in \`deploy/prometheus/rules.yaml\`; each alert has a page in
[docs/runbooks](runbooks/README.md). \`npm test -- operations\` asks a real Prometheus every query of both.
`
}

async function described(): Promise<Described[]> {
  const nothing = { queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0, diskFree: async () => 0 }
  const backlog = { http: 0, browser: 0, process: 0, ingest: 0 }
  const metrics = new ServiceMetrics(
    async () => nothing,
    async () => backlog,
  )
  return (await metrics.described()).sort((one, other) => (one.name < other.name ? -1 : 1))
}
