// Samples and exports the traces of this process. The export package is loaded only if a collector is configured.
import { hostname } from 'node:os'
import type { Settings } from '../config/settings.ts'
import type { Emitter } from '../lib/emitter.ts'
import { loadFor } from '../lib/optional-packages.ts'
import { withoutSecrets } from '../lib/secrets/clean-url.ts'
import { decodePercent } from '../lib/text/percent-encoding.ts'
import { noTraces } from '../lib/traces/no-traces.ts'
import {
  anotherSpan,
  asSampled,
  isSampled,
  isWithin,
  newTrace,
  parseTraceparent,
  spanIdOf,
  traceIdOf,
} from '../lib/traces/trace-context.ts'
import { version } from '../lib/user-agent.ts'
import type { Span } from '../model/trace.ts'
import type { SpanSink, Traces } from '../ports/traces.ts'

type TracingSettings = Pick<
  Settings,
  'otlpEndpoint' | 'otlpHeaders' | 'serviceName' | 'tracesSampler' | 'tracesSamplerArg'
>

/** Opens the export. Open it before all components that report spans. Then it closes after them and sends their last spans. */
export async function openTraces(
  opened: AsyncDisposableStack,
  settings: TracingSettings,
  { events, does }: { events: Emitter; does: string },
): Promise<Traces> {
  const { otlpEndpoint: endpoint } = settings
  if (endpoint === undefined) return noTraces
  let isLeaving = false
  // When spans are sent at the end, event listeners are already closed. So problems are reported as process warnings.
  const tell = (message: string): void =>
    isLeaving ? process.emitWarning(message) : events.emit('notice.given', { jobId: null, message })
  const { openOtlpSpans } = await loadFor('traces', () => import('../adapters/otlp/spans.ts'))
  const sink = opened.use(
    openOtlpSpans({
      ...{ endpoint, headers: headersIn(settings.otlpHeaders) },
      resource: {
        'service.name': settings.serviceName,
        'service.version': version,
        'service.instance.id': `${hostname()}-${process.pid}`,
        'kscrape.does': does,
      },
      trouble: why => tell(wordsOf(endpoint, why)),
    }),
  )
  const traces = tracesTo(sink, samplingBy(settings))
  opened.defer(
    events.listen((name, event) => {
      if (name === 'span.ended') traces.add(event as Span)
    }),
  )
  opened.defer(() => {
    isLeaving = true
  })
  return traces
}

const wordsOf = (endpoint: string, why: string | null): string =>
  why === null
    ? `${withoutSecrets(endpoint)} accepts traces again`
    : `${withoutSecrets(endpoint)} does not accept traces, so they are dropped: ${why}`

/** Parses headers in the form `name=value`, as in W3C baggage. */
const headersIn = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map(entry => {
      const at = entry.indexOf('=')
      return [entry.slice(0, at).trim(), decodePercent(entry.slice(at + 1).trim())]
    }),
  )

/** OTLP headers may contain a key, so they are removed from all logs. */
export const otlpSecrets = ({ otlpHeaders }: Pick<Settings, 'otlpHeaders'>): string[] =>
  Object.values(headersIn(otlpHeaders))

interface Sampling {
  /** Whether a new trace is recorded. */
  isChosen: (traceId: string) => boolean
  /** Whether the sampling flag in the caller's `traceparent` decides if the trace is recorded. */
  heedsCaller: boolean
}

export function samplingBy({
  tracesSampler,
  tracesSamplerArg,
}: Pick<Settings, 'tracesSampler' | 'tracesSamplerArg'>): Sampling {
  const kind = tracesSampler.replace(/^parentbased_/, '')
  const ratio = { always_on: 1, always_off: 0 }[kind] ?? tracesSamplerArg
  return { isChosen: isWithin(ratio), heedsCaller: kind !== tracesSampler }
}

export function tracesTo(sink: Pick<SpanSink, 'add'>, { isChosen, heedsCaller }: Sampling): Traces {
  return {
    isOn: true,
    begin(given) {
      const above = parseTraceparent(given)
      if (above === null) return { traceparent: newTrace(isChosen), parentId: null }
      const recorded = heedsCaller ? isSampled(above) : isChosen(traceIdOf(above))
      return { traceparent: asSampled(anotherSpan(above), recorded), parentId: spanIdOf(above) }
    },
    own: () => newTrace(isChosen),
    add(span) {
      if (isSampled(span.traceparent)) sink.add(clean(span))
    },
  }
}

/** Removes passwords and tokens from URLs in a span, also from URLs in its message. */
function clean(span: Span): Span {
  const { failure, attributes } = span
  const url = attributes['url.full']
  return {
    ...span,
    ...(typeof url === 'string' && { attributes: { ...attributes, 'url.full': withoutSecrets(url) } }),
    ...(failure && { failure: { code: failure.code, message: withoutSecrets(failure.message) } }),
  }
}
