// Counts and durations of API responses by route. It uses plain arrays, because the metrics package would build a label string for
// every response. The package reads the arrays on a scrape.
import { Counter, type Registry } from 'prom-client'
import type { Metrics } from '../../server/parts.ts'

type Answer = Parameters<Metrics['answered']>[0]

interface RouteMetrics {
  method: string
  route: string
  byStatus: Map<number, number>
  /** Number of responses per bucket. A bucket counts durations above the previous bound, up to its own bound. The last
   *  bucket counts longer durations. */
  counts: number[]
  sumSeconds: number
}

export class AnswerMetrics {
  readonly #bounds: readonly number[]
  readonly #routes = new Map<string, Map<string, RouteMetrics>>()

  /** `bounds` are the bounds of the histogram in seconds, in ascending order. */
  constructor(registry: Registry, bounds: readonly number[]) {
    this.#bounds = bounds
    registry.registerMetric(this.#counter())
    registry.registerMetric(this.#histogram() as unknown as Counter)
  }

  add({ method, route, status, durationMs }: Answer): void {
    const metrics = this.#routes.get(route)?.get(method) ?? this.#meet(method, route)
    metrics.byStatus.set(status, (metrics.byStatus.get(status) ?? 0) + 1)
    const seconds = durationMs / 1_000
    let place = 0
    while (place < this.#bounds.length && seconds > this.#bounds[place]!) place += 1
    metrics.counts[place]! += 1
    metrics.sumSeconds += seconds
  }

  #meet(method: string, route: string): RouteMetrics {
    const counts = [...this.#bounds, Number.POSITIVE_INFINITY].map(() => 0)
    const metrics = { method, route, byStatus: new Map(), counts, sumSeconds: 0 }
    const methods = this.#routes.get(route) ?? new Map<string, RouteMetrics>()
    this.#routes.set(route, methods.set(method, metrics))
    return metrics
  }

  #all(): RouteMetrics[] {
    return [...this.#routes.values()].flatMap(methods => [...methods.values()])
  }

  #counter(): Counter {
    const all = () => this.#all()
    return new Counter({
      ...{ name: 'kscrape_http_answers_total', help: 'Responses of the API', registers: [] },
      labelNames: ['method', 'route', 'status'],
      collect() {
        this.reset()
        for (const { method, route, byStatus } of all())
          for (const [status, count] of byStatus) this.inc({ method, route, status: String(status) }, count)
      },
    })
  }

  /** A histogram for the registry. It replaces the package's own histogram, which accepts only single observations. */
  #histogram() {
    const name = 'kscrape_http_answer_duration_seconds'
    const about = { name, help: 'Duration of API responses', type: 'histogram', aggregator: 'sum' }
    const get = async () => ({
      ...about,
      values: this.#all().flatMap(metrics => histogramLines(name, metrics, this.#bounds)),
    })
    return { ...about, get }
  }
}

function histogramLines(name: string, metrics: RouteMetrics, bounds: readonly number[]) {
  const { method, route, counts, sumSeconds } = metrics
  let upTo = 0
  const buckets = counts.map((count, place) => {
    upTo += count
    const le = bounds[place] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, method, route }, value: upTo }
  })
  const labels = { method, route }
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: upTo },
  ]
}
