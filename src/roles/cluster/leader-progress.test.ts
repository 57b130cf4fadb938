// Tests cached progress: many readers share one request to the leader and get the old value meanwhile. A change of the job drops
// the value.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import { LeaderProgress, type Led } from './leader-progress.ts'

function opened() {
  const clock = new FakeClock()
  const asked: Array<PromiseWithResolvers<Led>> = []
  const progress = new LeaderProgress(() => {
    const answer = Promise.withResolvers<Led>()
    asked.push(answer)
    return answer.promise
  }, clock)
  return { clock, asked, progress }
}

const running = (inFlight: number): Led => ({
  inFlight,
  hosts: 1,
  waiting: [],
  breaker: null,
  retries: { tasks: 0, nextAt: null },
})

test('concurrent readers of the progress of a job cause one request, and share its result for a second', async () => {
  const { asked, progress } = opened()
  const first = Promise.all([progress.of('job'), progress.of('job')])
  asked[0]!.resolve(running(3))

  assert.deepEqual(await first, [running(3), running(3)])
  assert.deepEqual(await progress.of('job'), running(3))
  assert.equal(asked.length, 1)
})

test('progress older than a second is returned at once, while new progress is requested from the leader', async () => {
  const { clock, asked, progress } = opened()
  const first = progress.of('job')
  asked[0]!.resolve(running(3))
  await first
  clock.advance(1_500)

  assert.deepEqual(await progress.of('job'), running(3))
  asked[1]!.resolve(running(5))
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(await progress.of('job'), running(5))
})

test('progress that is much older is not returned, and the caller waits for new progress', async () => {
  const { clock, asked, progress } = opened()
  const first = progress.of('job')
  asked[0]!.resolve(running(3))
  await first
  clock.advance(10_000)
  const later = progress.of('job')
  asked[1]!.resolve(running(7))

  assert.deepEqual(await later, running(7))
})

test('after a state change the leader gets another request, even if a request is already in flight', async () => {
  const { asked, progress } = opened()
  const before = progress.of('job')
  progress.forget('job')
  const after = progress.of('job')
  asked[1]!.resolve(running(0))
  await after
  asked[0]!.resolve(running(9))
  await before

  assert.deepEqual(await progress.of('job'), running(0))
})

test('after a failed request, the next caller sends a new request', async () => {
  const { asked, progress } = opened()
  const first = progress.of('job')
  asked[0]!.reject(new Error('nobody answers'))
  await assert.rejects(first)
  const second = progress.of('job')
  asked[1]!.resolve(null)

  assert.equal(await second, null)
})
