// Where traces begin and where their spans go. Nobody waits for it, and nothing depends on it.
import type { Span } from '../model/trace.ts'

export interface Traces {
  /** False where nobody is told of spans: then they need not be made. */
  readonly isOn: boolean
  /** The context of a request: within what its caller gave (a `traceparent`), or a trace of its own. Null where there is neither. */
  begin(given: unknown): BegunTrace | null
  /** The first span of work that no request asked for. Every job has a trace, recorded or not, to find its log lines by. */
  own(): string
  /** A span that is over. Kept for a moment, sent with others, dropped when nobody takes it. */
  add(span: Span): void
}

export interface BegunTrace {
  traceparent: string
  /** The caller's span. */
  parentId: string | null
}

/** Takes spans to whoever collects them. */
export interface SpanSink extends AsyncDisposable {
  add(span: Span): void
}
