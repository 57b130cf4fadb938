// A trace as log lines name it, so that they lead to it.
import { isSampled, spanIdOf, traceIdOf } from './trace-context.ts'

/** Nothing where there is none. Spans are named only where they are recorded: others could not be looked up. */
export function traceFields(traceparent: string | null | undefined): Record<string, string> {
  if (!traceparent) return {}
  const trace_id = traceIdOf(traceparent)
  return isSampled(traceparent) ? { trace_id, span_id: spanIdOf(traceparent) } : { trace_id }
}
