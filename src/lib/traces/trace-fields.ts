// The trace fields of log lines.
import { isSampled, spanIdOf, traceIdOf } from './trace-context.ts'

/** Empty if there is no trace. Contains the span id only if the trace is recorded. Otherwise no collector has the span. */
export function traceFields(traceparent: string | null | undefined): Record<string, string> {
  if (!traceparent) return {}
  const trace_id = traceIdOf(traceparent)
  return isSampled(traceparent) ? { trace_id, span_id: spanIdOf(traceparent) } : { trace_id }
}
