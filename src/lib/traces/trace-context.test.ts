// Tests which trace contexts of callers are accepted, and which are passed on.
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  anotherSpan,
  asSampled,
  isSampled,
  isWithin,
  newTrace,
  parseTraceparent,
  spanIdOf,
  traceIdOf,
} from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

test('the trace of a W3C traceparent is continued, whatever later versions add to the header', () => {
  assert.equal(parseTraceparent(`00-${trace}-${span}-01`), `00-${trace}-${span}-01`)
  assert.equal(parseTraceparent(` 00-${trace}-${span}-00 `), `00-${trace}-${span}-00`)
  assert.equal(parseTraceparent(`cc-${trace}-${span}-0b-more`), `00-${trace}-${span}-01`)
})

test('an invalid traceparent is ignored', () => {
  const zero = '0'.repeat(32)
  const wrong = [undefined, ['a'], '', `ff-${trace}-${span}-01`, `00-${zero}-${span}-01`]
  for (const given of [...wrong, `00-${trace}-${zero.slice(16)}-01`, `00-${trace.toUpperCase()}-${span}-01`])
    assert.equal(parseTraceparent(given), null, String(given))
})

test('all spans of a trace have its id and its sampling decision', () => {
  const first = newTrace(() => true)
  const next = anotherSpan(first)
  assert.equal(traceIdOf(next), traceIdOf(first))
  assert.match(spanIdOf(next), /^[0-9a-f]{16}$/)
  assert.notEqual(spanIdOf(next), spanIdOf(first))
  assert.equal(isSampled(next), true)
  assert.equal(isSampled(asSampled(next, false)), false)
  assert.equal(isSampled(null), false)
})

test('a sampling ratio selects that share of traces, and every process selects the same traces', () => {
  const traces = Array.from({ length: 4_000 }, () => traceIdOf(newTrace(() => true)))
  const kept = (ratio: number) => traces.filter(isWithin(ratio))
  assert.equal(kept(0).length, 0)
  assert.equal(kept(1).length, traces.length)
  const some = kept(0.25)
  assert.ok(some.length > 800 && some.length < 1_200, String(some.length))
  const half = new Set(kept(0.5))
  assert.ok(some.every(id => half.has(id)))
})
