// Exemplars: the trace of one observation per duration bucket.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { isSampled, spanIdOf, traceIdOf } from '../../lib/traces/trace-context.ts'
import type { Metrics } from '../../server/parts.ts'
import type { Facts, Hearing } from './group.ts'

export interface Exemplar {
  labels: { trace_id: string; span_id: string }
  /** The observed duration in seconds. */
  value: number
  atMs: number
}

type Labels = Record<string, string | number>

/** Maximum number of series. There are only a few routes and fetch modes. */
const mostSeries = 1_000

export class Exemplars {
  /** The last exemplar by series and order of magnitude, so that frequent fast observations do not replace rare slow
   *  ones. */
  readonly #series = new RecentMap<string, Map<number, Exemplar>>(mostSeries)

  readonly #hearing: Hearing = {
    'page.fetched': ({ way, ms, traceparent }) =>
      this.#note('kscrape_request_duration_seconds', { way }, ms, traceparent),
    'task.settled': ({ durationMs, traceparent }) =>
      this.#note('kscrape_task_duration_seconds', {}, durationMs, traceparent),
    'group.committed': ({ ms, traceparent }) =>
      this.#note('kscrape_commit_duration_seconds', {}, ms, traceparent),
  }

  hear<Name extends keyof Facts>(name: Name, fact: Facts[Name]): void {
    this.#hearing[name]?.(fact)
  }

  answered({ method, route, durationMs, traceparent }: Parameters<Metrics['answered']>[0]): void {
    this.#note('kscrape_http_answer_duration_seconds', { method, route }, durationMs, traceparent)
  }

  #note(metric: string, labels: Labels, ms: number, traceparent: string | null | undefined): void {
    if (!traceparent || !isSampled(traceparent)) return
    const key = seriesKey(metric, labels)
    const known = this.#series.get(key) ?? new Map<number, Exemplar>()
    known.set(Math.ceil(Math.log2(Math.max(ms, 1))), {
      labels: { trace_id: traceIdOf(traceparent), span_id: spanIdOf(traceparent) },
      value: ms / 1_000,
      atMs: Date.now(),
    })
    this.#series.set(key, known)
  }

  /** The newest exemplar with a duration above `above` and at most `upTo`, in seconds. Null if there is none. */
  find(metric: string, labels: Labels, above: number, upTo: number): Exemplar | null {
    const fitting = [...(this.#series.get(seriesKey(metric, labels))?.values() ?? [])].filter(
      ({ value }) => value > above && value <= upTo,
    )
    return fitting.sort((a, b) => b.atMs - a.atMs)[0] ?? null
  }
}

const seriesKey = (metric: string, labels: Labels): string =>
  `${metric} ${Object.keys(labels)
    .sort()
    .map(name => `${name}=${labels[name]}`)
    .join()}`
