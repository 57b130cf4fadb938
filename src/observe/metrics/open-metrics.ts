// Writes metrics in the OpenMetrics text format, which is like the format of Prometheus but has exemplars.
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Exemplar, Exemplars } from './exemplars.ts'

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** Whether the client accepts the OpenMetrics format. */
export const wantsOpenMetrics = (accept = ''): boolean => accept.includes('application/openmetrics-text')

type Metric = MetricObjectWithValues<MetricValue<string>>

export const openMetricsText = (metrics: readonly Metric[], exemplars: Exemplars): string =>
  `${metrics.flatMap(metric => linesOf(metric, exemplars)).join('\n')}\n# EOF\n`

function linesOf(metric: Metric, exemplars: Exemplars): string[] {
  const isCounter = String(metric.type) === 'counter'
  const name = isCounter ? metric.name.replace(/_total$/, '') : metric.name
  const about = [`# TYPE ${name} ${metric.type}`, `# HELP ${name} ${escaped(metric.help)}`]
  let above = Number.NEGATIVE_INFINITY
  const samples = metric.values.map(sample => {
    const { metricName = metric.name } = sample as { metricName?: string }
    const shown = isCounter ? `${name}_total` : metricName
    const line = `${shown}${labelsText(sample.labels)} ${valueText(sample.value)}`
    const { le, ...labels } = sample.labels
    if (le === undefined) {
      above = Number.NEGATIVE_INFINITY
      return line
    }
    const upTo = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
    const exemplar = exemplars.find(metric.name, labels as Record<string, string>, above, upTo)
    above = upTo
    return exemplar ? `${line} ${exemplarText(exemplar)}` : line
  })
  return [...about, ...samples]
}

const exemplarText = ({ labels, value, atMs }: Exemplar): string =>
  `# ${labelsText(labels)} ${value} ${(atMs / 1_000).toFixed(3)}`

function labelsText(labels: Record<string, string | number | undefined>): string {
  const shown = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return shown.length > 0 ? `{${shown.join(',')}}` : ''
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
