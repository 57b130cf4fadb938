// A collector of traces: accepts OTLP over HTTP with JSON, stores the spans, and shows them as a tree.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { found } from './eventually.ts'
import { wholeBody } from './whole-body.ts'

export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: Record<string, string | number | boolean>
  /** The error of the span; undefined if it has none. */
  error: string | undefined
  /** Attributes of the process that sent the span. */
  resource: Record<string, string | number | boolean>
}

interface SentAttribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
}

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: SentAttribute[]
  status: { code?: number; message?: string }
}

interface SentSpans {
  resourceSpans: Array<{
    resource: { attributes: SentAttribute[] }
    scopeSpans: Array<{ spans: SentSpan[] }>
  }>
}

export class OtlpCollector implements AsyncDisposable {
  readonly spans: CollectedSpan[] = []
  readonly requests: Array<{ path: string; headers: IncomingHttpHeaders }> = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await wholeBody(request)
      // The sender was killed while it sent.
      if (body === null) return
      this.requests.push({ path: request.url ?? '', headers: request.headers })
      this.spans.push(...spansIn(JSON.parse(body) as SentSpans))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }

  static async open(): Promise<OtlpCollector> {
    const collector = new OtlpCollector()
    await new Promise<void>(done => collector.#server.listen(0, '127.0.0.1', done))
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Waits until spans with all these names have arrived, each at least `times` times. Returns all spans of the job's trace. */
  async traceOf(jobId: string, names: readonly string[], times = 1): Promise<Trace> {
    const look = () => {
      const own = this.spans.find(({ attributes }) => attributes['kscrape.job_id'] === jobId)
      const trace = new Trace(this.spans.filter(({ traceId }) => traceId === own?.traceId))
      return names.every(name => trace.named(name).length >= times) ? trace : undefined
    }
    return found(`spans ${names.join(', ')} of ${jobId}`, look).catch(error => {
      throw new Error(`${error.message}; there are ${this.spans.map(({ name }) => name).join(', ')}`)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(done => this.#server.close(done))
  }
}

export class Trace {
  readonly spans: readonly CollectedSpan[]

  constructor(spans: readonly CollectedSpan[]) {
    this.spans = spans
  }

  get id(): string {
    return this.spans[0]!.traceId
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter(span => span.name === name)
  }

  /** The names of the spans from the root down to this span, like `POST /jobs > job > task > fetch`. */
  pathTo(name: string): string {
    const path: string[] = []
    for (let span: CollectedSpan | undefined = this.named(name)[0]; span; ) {
      path.unshift(span.name)
      const { parentSpanId } = span
      span = this.spans.find(({ spanId }) => spanId === parentSpanId)
    }
    return path.join(' > ')
  }

  /** Spans whose parent is missing. */
  get roots(): string[] {
    const known = new Set(this.spans.map(({ spanId }) => spanId))
    return this.spans.filter(({ parentSpanId }) => !known.has(parentSpanId!)).map(({ name }) => name)
  }
}

const spansIn = ({ resourceSpans }: SentSpans): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(span => collected(span, valuesOf(resource.attributes)))),
  )

const collected = (span: SentSpan, resource: CollectedSpan['resource']): CollectedSpan => ({
  ...{ traceId: span.traceId, spanId: span.spanId, name: span.name, kind: span.kind, resource },
  parentSpanId: span.parentSpanId,
  startMs: Number(span.startTimeUnixNano) / 1e6,
  endMs: Number(span.endTimeUnixNano) / 1e6,
  attributes: valuesOf(span.attributes),
  error: span.status.code === 2 ? (span.status.message ?? '') : undefined,
})

const valuesOf = (attributes: SentAttribute[]): Record<string, string | number | boolean> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, doubleValue, boolValue } = value
      return [key, stringValue ?? boolValue ?? doubleValue ?? Number(intValue)]
    }),
  )
