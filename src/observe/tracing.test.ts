// Tests which traces are sampled, and which spans are exported.
import assert from 'node:assert/strict'
import test from 'node:test'
import { isSampled, spanIdOf, traceIdOf } from '../lib/traces/trace-context.ts'
import type { Span } from '../model/trace.ts'
import { samplingBy, tracesTo } from './tracing.ts'

const recorded = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const unrecorded = recorded.replace(/01$/, '00')

function tracing(tracesSampler: Parameters<typeof samplingBy>[0]['tracesSampler'], tracesSamplerArg = 1) {
  const told: Span[] = []
  return {
    told,
    traces: tracesTo({ add: span => told.push(span) }, samplingBy({ tracesSampler, tracesSamplerArg })),
  }
}

test('the span of a request continues the trace of its caller, or starts a new trace', () => {
  const { traces } = tracing('parentbased_always_on')
  const within = traces.begin(recorded)!
  assert.equal(traceIdOf(within.traceparent), traceIdOf(recorded))
  assert.equal(within.parentId, spanIdOf(recorded))
  assert.notEqual(spanIdOf(within.traceparent), spanIdOf(recorded))
  const own = traces.begin('nonsense')!
  assert.equal(own.parentId, null)
  assert.notEqual(traceIdOf(own.traceparent), traceIdOf(recorded))
})

test('parent-based samplers follow the caller; other samplers decide by themselves', () => {
  const isRecorded = (...[sampler, ratio]: Parameters<typeof tracing>) => {
    const { traces } = tracing(sampler, ratio)
    return [recorded, unrecorded, undefined].map(given => isSampled(traces.begin(given)!.traceparent))
  }
  assert.deepEqual(isRecorded('parentbased_always_on'), [true, false, true])
  assert.deepEqual(isRecorded('parentbased_always_off'), [true, false, false])
  assert.deepEqual(isRecorded('parentbased_traceidratio', 0), [true, false, false])
  assert.deepEqual(isRecorded('always_on'), [true, true, true])
  assert.deepEqual(isRecorded('always_off'), [false, false, false])
  assert.deepEqual(isRecorded('traceidratio', 1), [true, true, true])
  assert.deepEqual(isRecorded('traceidratio', 0), [false, false, false])
})

test('only sampled spans are exported, without secrets in their URLs', () => {
  const { told, traces } = tracing('always_on')
  const span = { name: 'fetch', parentId: null, startedAt: 1, endedAt: 2 }
  const url = 'https://me:hunter2@shop.example/?token=hunter2&page=3'
  traces.add({ ...span, traceparent: unrecorded, attributes: {} })
  traces.add({
    ...{ ...span, traceparent: recorded, attributes: { 'url.full': url } },
    failure: { code: 'fetch.timeout', message: `${url} took too long` },
  })
  assert.equal(told.length, 1)
  assert.doesNotMatch(JSON.stringify(told), /hunter2/)
  assert.match(String(told[0]?.attributes['url.full']), /^https:\/\/shop\.example\/\?token=\w+&page=3$/)
})
