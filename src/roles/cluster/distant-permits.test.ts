// Tests permits from another process when request and response are slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import type { Calls } from '../../ports/calls.ts'
import { neverLapses, type Permit, type PermitRequest } from '../../ports/permits.ts'
import { distantPermits } from './distant-permits.ts'

const never = new AbortController().signal
const request: PermitRequest = { jobId: 'job', n: 1, url: 'https://a.example/', purpose: 'extra' }

/** A fake coordinator. Each of its answers arrives after `takesMs`. */
function open(answers: Array<Permit & { takesMs: number }>) {
  const clock = new FakeClock()
  const asked: Array<number | undefined> = []
  const ask = async (_service: string, question: { request: PermitRequest }) => {
    asked.push(question.request.lapsed)
    const { takesMs, ...permit } = answers[asked.length - 1]!
    clock.advance(takesMs)
    return permit
  }
  const start = clock.now()
  const askPermit = distantPermits({ ask } as unknown as Calls, clock, 1)
  return { asked, ask: async () => (await askPermit(request, never)) - start }
}

test('a permit that arrives in time is valid from its creation', async () => {
  const here = open([{ takesMs: 503, heldMs: 500, goodForMs: 20 }])
  assert.equal(await here.ask(), 520)
})

test('a permit that was in transit for longer than its validity is requested again, with a longer validity', async () => {
  const here = open([
    { takesMs: 521, heldMs: 500, goodForMs: 20 },
    { takesMs: 60, heldMs: 0, goodForMs: 80 },
  ])
  assert.equal(await here.ask(), 521 + 80)
  assert.deepEqual(here.asked, [0, 1])
})

test('a permit for a host without a delay never expires', async () => {
  const here = open([{ takesMs: 60_000, heldMs: 0, goodForMs: null }])
  assert.equal(await here.ask(), neverLapses)
})
