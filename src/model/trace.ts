// Traces: the context that work carries, and spans.

/** A span, reported when it has ended. */
export interface Span {
  name: string
  /** `server` handles a request, `client` sends one; everything else is internal. */
  kind?: 'server' | 'client'
  /** Its context as W3C `traceparent`. */
  traceparent: string
  /** The parent span; null for the first. */
  parentId: string | null
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  /** The failure of the span, if any. */
  failure?: { code: string; message: string } | null
}

/** Null values are left out. */
export type SpanAttributes = Record<string, string | number | boolean | null>

/** Carried by a task whose attempt is traced: its context and start time. */
export interface TaskTrace {
  traceparent: string
  releasedAt: number
}
