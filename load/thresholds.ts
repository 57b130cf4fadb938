// Thresholds: `p99<500`, `scrape.p95<2000`, `errors<0.01`. Latencies are in milliseconds, errors are a share, rate is responses
// per second.
import type { Report, ScenarioReport } from './report.ts'
import { UsageError } from './usage-error.ts'

export interface Threshold {
  text: string
  /** The name of a scenario; null for all scenarios. */
  scenario: string | null
  figure: string
  isBelow: boolean
  bound: number
}

export interface Judged {
  text: string
  value: number
  ok: boolean
}

type Read = (report: Pick<ScenarioReport, 'answered' | 'failed' | 'latencyMs' | 'perSecond'>) => number

const figures: Record<string, Read> = {
  p50: ({ latencyMs }) => latencyMs.p50,
  p90: ({ latencyMs }) => latencyMs.p90,
  p95: ({ latencyMs }) => latencyMs.p95,
  p99: ({ latencyMs }) => latencyMs.p99,
  p999: ({ latencyMs }) => latencyMs.p999,
  max: ({ latencyMs }) => latencyMs.max,
  mean: ({ latencyMs }) => latencyMs.mean,
  rate: ({ perSecond }) => perSecond,
  errors: ({ answered, failed }) => (answered === 0 ? 1 : failed / answered),
}

/** Metrics that exist only for the whole run. */
const wholeFigures: Record<string, (report: Report) => number> = {
  dropped: ({ dropped }) => dropped,
  lost: ({ jobs }) => jobs.lost,
  unended: ({ jobs }) => jobs.unended,
}

export function thresholdOf(text: string, scenarios: readonly string[]): Threshold {
  const found = /^(?:(?<scenario>\w+)\.)?(?<figure>\w+)(?<sign>[<>])(?<bound>\d+(?:\.\d+)?)$/.exec(text)
  const { scenario = null, figure = '', sign, bound } = found?.groups ?? {}
  const known = scenario === null ? { ...figures, ...wholeFigures } : figures
  if (!(figure in known))
    throw new UsageError(
      `--threshold "${text}": write METRIC<NUMBER or SCENARIO.METRIC<NUMBER (or >); metrics are ${Object.keys(known).join(', ')}`,
    )
  if (scenario !== null && !scenarios.includes(scenario))
    throw new UsageError(
      `--threshold "${text}": there is no "${scenario}"; scenarios are ${scenarios.join(', ')}`,
    )
  return { text, scenario, figure, isBelow: sign === '<', bound: Number(bound) }
}

/** A scenario without requests cannot fail. */
export function judge(thresholds: readonly Threshold[], report: Report): Judged[] {
  return thresholds.flatMap(({ text, scenario, figure, isBelow, bound }) => {
    const of = scenario === null ? report : report.scenarios[scenario]
    if (!of || (scenario !== null && of.answered === 0)) return []
    const value = wholeFigures[figure]?.(report) ?? figures[figure]!(of)
    return [{ text, value, ok: isBelow ? value < bound : value > bound }]
  })
}
