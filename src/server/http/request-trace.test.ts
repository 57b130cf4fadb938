// Tests the span of a request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import { reportAnswered } from './request-trace.ts'

const trace = { traceparent: '00-a-b-01', parent: null }

function reported({
  statusCode = 200,
  route = '/jobs',
  isOn = true,
  traced = true,
  problem = null as object | null,
} = {}) {
  const spans: Array<Record<string, unknown>> = []
  const traces = { isOn, add: (span: Record<string, unknown>) => void spans.push(span) }
  const request = {
    method: 'GET',
    id: 'r-1',
    trace: traced ? trace : null,
    problem,
    caller: { workspace: 'team' },
  }
  const clock = new FakeClock()
  const given = reportAnswered(
    { traces, clock } as never,
    request as never,
    { statusCode, elapsedTime: 40 } as never,
    route,
  )
  return { given, span: spans[0], now: clock.now() }
}

test('the span of a request has its route, its time and its workspace', () => {
  const { given, span, now } = reported()
  assert.equal(given, trace.traceparent)
  assert.deepEqual([span?.name, span?.startedAt, span?.endedAt], ['GET /jobs', now - 40, now])
  const attributes = span?.attributes as Record<string, unknown>
  assert.deepEqual([attributes['http.response.status_code'], attributes['kscrape.workspace']], [200, 'team'])
  assert.equal('failure' in span!, false)
})

test('only errors of the service mark a span as failed', () => {
  assert.equal('failure' in reported({ statusCode: 404 }).span!, false)
  assert.deepEqual(
    reported({ statusCode: 503, problem: { code: 'store.busy', message: 'm' } }).span?.failure,
    {
      ...{ code: 'store.busy', message: 'm' },
    },
  )
  assert.match(JSON.stringify(reported({ statusCode: 500 }).span), /"code":"internal\.bug"/)
})

test('probes and untraced requests have no span', () => {
  for (const change of [{ route: '/healthz' }, { route: '/metrics' }, { isOn: false }, { traced: false }])
    assert.deepEqual(
      [reported(change).given, reported(change).span],
      [null, undefined],
      JSON.stringify(change),
    )
})
