// Tests the OpenMetrics format: it has the same metrics, and traces as exemplars.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ServiceMetrics } from './service-metrics.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

const open = () =>
  new ServiceMetrics(async () => ({ queueDepth: 0, jobs: 0, inFlight: 0, activeBrowsers: 0 }))

test('a client that accepts OpenMetrics gets exemplars with a trace id', async () => {
  const metrics = open()
  const page = { host: 'a.example', way: 'http', bytes: 1 } as const
  metrics.hear('page.fetched', { ...page, ms: 70, traceparent })
  metrics.answered({ method: 'GET', route: '/jobs', status: 200, durationMs: 400, traceparent })
  const { type, body } = await metrics.text(accept)
  assert.match(type, /^application\/openmetrics-text/)
  const exemplar = '# {trace_id="4bf92f3577b34da6a3ce929d0e0e4736",span_id="00f067aa0ba902b7"}'
  const lines = body.split('\n').filter(line => line.includes('trace_id'))
  assert.equal(lines.length, 2)
  assert.ok(lines[0]!.includes(`le="0.1",way="http"} 1 ${exemplar} 0.07 `), lines[0])
  assert.ok(lines[1]!.includes(`le="0.5"`) && lines[1]!.includes(`${exemplar} 0.4 `), lines[1])
  assert.match(body, /\n# EOF\n$/)
})

test('the OpenMetrics format has the same metrics and names as the plain format', async () => {
  const metrics = open()
  metrics.hear('page.judged', { way: 'http', outcome: 'ok' })
  const names = (text: string) =>
    new Set([...text.matchAll(/^(kscrape_\w+)(?=[{ ])/gm)].map(([, name]) => name))
  const { body } = await metrics.text(accept)
  const plain = await metrics.text()
  assert.deepEqual(names(body), names(plain.body))
  assert.match(plain.type, /^text\/plain/)
  assert.match(plain.body, /# TYPE kscrape_requests_total counter/)
  assert.match(
    body,
    /# TYPE kscrape_requests counter\n.*\nkscrape_requests_total\{way="http",outcome="ok"\} 1/,
  )
  assert.doesNotMatch(plain.body, /trace_id/)
})

test('a trace that is not sampled is not used as an exemplar', async () => {
  const metrics = open()
  const unrecorded = traceparent.replace(/01$/, '00')
  metrics.answered({ method: 'GET', route: '/jobs', status: 200, durationMs: 4, traceparent: unrecorded })
  assert.doesNotMatch((await metrics.text(accept)).body, /trace_id/)
})
