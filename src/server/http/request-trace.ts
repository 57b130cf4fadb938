// The trace of a request: the caller's trace, or a new one. Log lines contain the id of the trace. Jobs of the request continue
// the trace. The span of the request ends with the response.
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { traceFields } from '../../lib/traces/trace-fields.ts'
import type { Span } from '../../model/trace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { BegunTrace, Traces } from '../../ports/traces.ts'
import type { App } from '../app.ts'

/** Begins a trace when the request's logger is created, which is the first step of a request. */
export function traceRequests(app: App, traces: Traces): void {
  const begun = new WeakMap<IncomingMessage, BegunTrace>()
  app.decorateRequest('trace', {
    getter(this: FastifyRequest) {
      return begun.get(this.raw) ?? null
    },
  } as never)
  app.setChildLoggerFactory((logger, bindings, options, raw) => {
    const trace = traces.begin((raw as IncomingMessage).headers.traceparent)
    if (trace === null) return logger.child(bindings, options) as FastifyBaseLogger
    begun.set(raw as IncomingMessage, trace)
    return logger.child({ ...bindings, ...traceFields(trace.traceparent) }, options) as FastifyBaseLogger
  })
}

/** Probes run every few seconds, so their traces would outnumber all others. */
const watched = new Set(['/healthz', '/health', '/readiness', '/metrics'])

/** Reports an answered request; `route` is the route pattern. Returns its span, or null without tracing. */
export function reportAnswered(
  { traces, clock }: { traces: Traces; clock: Clock },
  request: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
  route: string,
): string | null {
  const { trace } = request
  if (!trace || !traces.isOn || watched.has(route)) return null
  const endedAt = clock.now()
  traces.add({
    ...{ name: `${request.method} ${route}`, kind: 'server', ...trace },
    ...{ startedAt: endedAt - elapsedTime, endedAt },
    ...(statusCode >= 500 && { failure: failureOf(request) }),
    attributes: {
      ...{ 'http.request.method': request.method, 'http.route': route },
      ...{ 'http.response.status_code': statusCode, 'kscrape.request_id': request.id },
      'kscrape.workspace': request.caller?.workspace ?? null,
    },
  })
  return trace.traceparent
}

const failureOf = ({ problem }: FastifyRequest): NonNullable<Span['failure']> =>
  problem ?? { code: 'internal.bug', message: 'the request failed' }
