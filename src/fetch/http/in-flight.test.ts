// Tests the limit of requests in flight: it applies to all callers, waiting requests start in order, and an aborted one frees its
// place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, ExchangeRequest } from './exchange.ts'
import { InFlight, within } from './in-flight.ts'

const never = new AbortController().signal
const request = (deadlineAt = 0) => ({ deadlineAt }) as ExchangeRequest

/** Requests that end only when the test ends them. */
function held(inFlight: InFlight) {
  const begun: Array<{ end: () => void; fail: (error: Error) => void; deadlineAt: number }> = []
  const exchange = within(inFlight, ({ deadlineAt }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    begun.push({ end: () => resolve({} as Answer), fail: reject, deadlineAt })
    return promise
  })
  return { begun, exchange }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('no more requests are in flight than allowed, and each request that succeeds or fails lets the next one start', async () => {
  const inFlight = new InFlight()
  inFlight.most = 2
  const { begun, exchange } = held(inFlight)
  const all = Array.from({ length: 4 }, () => exchange(request(), never))
  await settled()
  assert.equal(begun.length, 2)
  begun[0]!.end()
  await settled()
  assert.equal(begun.length, 3)
  begun[1]!.fail(new Error('broken'))
  await assert.rejects(all[1]!, /broken/)
  await settled()
  assert.equal(begun.length, 4)
  for (const one of begun) one.end()
  await Promise.allSettled(all)
  assert.equal(inFlight.isFull, false)
})

test('if a waiting request is aborted, the next waiting request takes its place', async () => {
  const inFlight = new InFlight()
  inFlight.most = 1
  const { begun, exchange } = held(inFlight)
  void exchange(request(), never)
  const impatient = new AbortController()
  const given = exchange(request(), impatient.signal)
  const patient = exchange(request(), never)
  await settled()
  impatient.abort(new Error('enough'))
  await assert.rejects(given, /enough/)
  begun[0]!.end()
  await settled()
  assert.equal(begun.length, 2)
  begun[1]!.end()
  await patient
})

test('when the limit grows, waiting requests start at once', async () => {
  const inFlight = new InFlight()
  inFlight.most = 1
  const { begun, exchange } = held(inFlight)
  const all = Array.from({ length: 3 }, () => exchange(request(), never))
  await settled()
  inFlight.most = 3
  await settled()
  assert.equal(begun.length, 3)
  for (const one of begun) one.end()
  assert.equal((await Promise.all(all)).length, 3)
})

test('the time that a request waits for a place does not count towards its timeout', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000 })
  const inFlight = new InFlight()
  inFlight.most = 1
  const { begun, exchange } = held(inFlight)
  const first = exchange(request(5_000), never)
  const second = exchange(request(5_000), never)
  await settled()
  t.mock.timers.setTime(4_000)
  begun[0]!.end()
  await first
  await settled()
  assert.deepEqual(
    begun.map(({ deadlineAt }) => deadlineAt),
    [5_000, 8_000],
  )
  begun[1]!.end()
  await second
})
