// Traces: spans, and the trace context that tasks carry between processes.

/** A span. It is reported after it has ended. */
export interface Span {
  name: string
  /** `server` handles a request, `client` sends one; everything else is internal. */
  kind?: 'server' | 'client'
  /** The context of the span as W3C `traceparent`. */
  traceparent: string
  /** The parent span; null for the root span. */
  parentId: string | null
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  /** The failure of the span, if any. */
  failure?: { code: string; message: string } | null
}

/** Attributes of a span by name. Null values are not exported. */
export type SpanAttributes = Record<string, string | number | boolean | null>

/** The trace context and start time of an attempt. Set only if the attempt is traced. */
export interface TaskTrace {
  traceparent: string
  releasedAt: number
}
