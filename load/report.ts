// The report of a run: one object for programs, a few lines for people.
import type { ScenarioCounts } from './scenario-counts.ts'
import type { Judged } from './thresholds.ts'

export interface LatencyReport {
  mean: number
  p50: number
  p90: number
  p95: number
  p99: number
  p999: number
  max: number
}

export interface ScenarioReport {
  /** Requests with a response, successful or not. */
  answered: number
  failed: number
  errors: Record<string, number>
  perSecond: number
  /** Latency from the time when a request was due. */
  latencyMs: LatencyReport
  /** Latency from the time when a request was sent. */
  serviceMs: LatencyReport
}

export interface JobsReport {
  accepted: number
  /** Jobs that were accepted and that the service does not know afterwards. */
  lost: number
  /** Jobs that did not end within the drain time. */
  unended: number
  byState: Record<string, number>
}

export interface Report extends ScenarioReport {
  profile: string
  url: string
  run: string
  startedAt: string
  seconds: number
  /** The number of requests that were due. */
  due: number
  /** Requests that were not sent because too many were in flight. If there are any, the other values look better than they are. */
  dropped: number
  /** How late requests were sent. A long delay means that the runner itself is slow. */
  lateMs: LatencyReport
  stoppedEarly: boolean
  jobs: JobsReport
  scenarios: Record<string, ScenarioReport>
  thresholds: Judged[]
  passed: boolean
}

export const latenciesOf = (latencies: ScenarioCounts['latency']): LatencyReport => ({
  mean: rounded(latencies.meanMs),
  p50: rounded(latencies.atMostMs(0.5)),
  p90: rounded(latencies.atMostMs(0.9)),
  p95: rounded(latencies.atMostMs(0.95)),
  p99: rounded(latencies.atMostMs(0.99)),
  p999: rounded(latencies.atMostMs(0.999)),
  max: rounded(latencies.maxMs),
})

export const scenarioReport = (counts: ScenarioCounts, seconds: number): ScenarioReport => ({
  answered: counts.count,
  failed: counts.failed,
  errors: Object.fromEntries([...counts.errors].sort(([, one], [, other]) => other - one)),
  perSecond: rounded(counts.count / seconds),
  latencyMs: latenciesOf(counts.latency),
  serviceMs: latenciesOf(counts.service),
})

const rounded = (value: number): number => Math.round(value * 100) / 100

/** The report as JSON, with names in snake_case as in the API. */
export const asJson = (report: Report): string =>
  `${JSON.stringify(report, (_key, value) => (isPlain(value) ? spelled(value) : value), 2)}\n`

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts names to snake_case. Keys that are error codes stay unchanged. */
const spelled = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [
      /^[a-zA-Z0-9]+$/.test(key) ? key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) : key,
      inside,
    ]),
  )

/** The report as lines of text. */
export function asText(report: Report): string {
  const rows = Object.entries(report.scenarios).filter(([, { answered }]) => answered > 0)
  const head = ['', 'responses', '/s', 'errors', 'p50', 'p95', 'p99', 'max ms']
  const line = (name: string, { answered, perSecond, failed, latencyMs }: ScenarioReport) =>
    [name, answered, perSecond, failed, latencyMs.p50, latencyMs.p95, latencyMs.p99, latencyMs.max].map(
      String,
    )
  const table = [head, ...rows.map(([name, one]) => line(name, one)), line('all', report)]
  const widths = head.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  const shown = table.map(row => row.map((cell, column) => cell.padStart(widths[column]! + 2)).join(''))
  const { jobs, lateMs } = report
  return [
    ...shown,
    '',
    ...Object.entries(report.errors).map(([code, count]) => `${count} × ${code}`),
    `jobs: ${jobs.accepted} accepted, ${jobs.lost} lost, ${jobs.unended} did not end in time`,
    `runner: ${report.due} due, ${report.dropped} not sent; 99 % were sent at most ${lateMs.p99} ms late`,
    ...report.thresholds.map(
      ({ text, value, ok }) => `${ok ? '✓' : '✗'} ${text}  (${Math.round(value * 1e4) / 1e4})`,
    ),
    report.passed ? 'all thresholds hold' : 'some thresholds are exceeded',
    '',
  ].join('\n')
}
