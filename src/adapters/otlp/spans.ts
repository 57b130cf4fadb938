// Exports spans with OTLP over HTTP, in batches in the background. Spans that are not accepted are dropped. Loaded only if
// tracing is on.
import { type HrTime, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { isSampled, spanIdOf, traceIdOf } from '../../lib/traces/trace-context.ts'
import type { Span, SpanAttributes } from '../../model/trace.ts'
import type { SpanSink } from '../../ports/traces.ts'

interface OtlpOptions {
  endpoint: string
  headers: Record<string, string>
  /** Attributes of the sender: service, version, process. */
  resource: SpanAttributes
  /** Called with the reason when the collector stops accepting spans, and with null when it accepts them again. */
  trouble: (why: string | null) => void
}

/** How long the exporter retries while the collector is unavailable. A stop of the process waits no longer than this. */
const patienceMs = 3_000
const sendEveryMs = 500
/** Maximum number of spans that wait for export, about 20 MB. Further spans are dropped. */
const mostWaiting = 16_384
const mostAtOnce = 1_024

export function openOtlpSpans({ endpoint, headers, resource, trouble }: OtlpOptions): SpanSink {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: patienceMs })
  const processor = new BatchSpanProcessor({
    exporter: watched(exporter, trouble),
    ...{ scheduledDelayMillis: sendEveryMs, exportTimeoutMillis: patienceMs + 500 },
    ...{ maxQueueSize: mostWaiting, maxExportBatchSize: mostAtOnce },
  })
  const from = resourceFromAttributes(spoken(resource))
  return {
    add: span => processor.onEnd(readable(span, from)),
    [Symbol.asyncDispose]: () => processor.shutdown().catch(() => {}),
  }
}

/** Reports the start and the end of an outage once each. */
function watched(exporter: OTLPTraceExporter, trouble: OtlpOptions['trouble']): SpanExporter {
  let isTold = false
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        const failed = result.code !== 0
        if (failed !== isTold) trouble(failed ? (result.error?.message ?? 'it refused them') : null)
        isTold = failed
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT }
const scope = { name: 'kscrape' }

function readable(span: Span, resource: Resource): ReadableSpan {
  const context = contextOf(span.traceparent, spanIdOf(span.traceparent))
  const { failure, parentId } = span
  return {
    ...{ name: span.name, kind: span.kind ? kinds[span.kind] : SpanKind.INTERNAL, resource },
    spanContext: () => context,
    ...(parentId !== null && { parentSpanContext: contextOf(span.traceparent, parentId) }),
    startTime: timeOf(span.startedAt),
    endTime: timeOf(span.endedAt),
    duration: timeOf(span.endedAt - span.startedAt),
    status: failure ? { code: SpanStatusCode.ERROR, message: failure.message } : unset,
    attributes: spoken(failure ? { ...span.attributes, 'error.type': failure.code } : span.attributes),
    ...{ links: [], events: [], ended: true, instrumentationScope: scope },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

const unset = { code: SpanStatusCode.UNSET }

const contextOf = (traceparent: string, spanId: string): SpanContext => ({
  traceId: traceIdOf(traceparent),
  spanId,
  traceFlags: Number(isSampled(traceparent)),
})

/** Converts milliseconds to seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  const whole = Math.floor(ms / 1_000)
  return [whole, Math.round((ms - whole * 1_000) * 1e6)]
}

const spoken = (attributes: SpanAttributes): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
