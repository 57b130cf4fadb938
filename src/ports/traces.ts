// Traces: creates contexts and exports spans. Best effort: nothing waits for it or depends on it.
import type { Span } from '../model/trace.ts'

export interface Traces {
  /** False if no exporter is configured. Callers then need not create spans. */
  readonly isOn: boolean
  /** The context of a request: within the caller's `traceparent`, or a new trace. Null if the caller sent none and tracing is off. */
  begin(given: unknown): BegunTrace | null
  /** A new root context, for a job whose request has no trace. It exists also while tracing is off, because log lines of the job
   *  contain its trace id. */
  own(): string
  /** Adds a finished span. Spans are buffered, exported in batches, and dropped if the exporter fails. */
  add(span: Span): void
}

export interface BegunTrace {
  traceparent: string
  /** The caller's span. */
  parentId: string | null
}

/** Exports spans to a collector. */
export interface SpanSink extends AsyncDisposable {
  add(span: Span): void
}
