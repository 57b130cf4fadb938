// What is known of a trace: the context that work carries along, and the spans that it is told in.

/** A stretch of work in a trace, told when it is over. */
export interface Span {
  name: string
  /** `server` answers a request, `client` sends one; everything else is done here. */
  kind?: 'server' | 'client'
  /** Its own context, as W3C writes it. */
  traceparent: string
  /** The span that it is part of; null where it is the first. */
  parentId: string | null
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  /** What it came to, where that was nothing good. */
  failure?: { code: string; message: string } | null
}

/** What is null is not said. */
export type SpanAttributes = Record<string, string | number | boolean | null>

/** Carried by a task whose attempt is traced: its own context, and since when it has been under way. */
export interface TaskTrace {
  traceparent: string
  releasedAt: number
}
