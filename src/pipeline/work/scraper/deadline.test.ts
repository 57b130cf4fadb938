// Tests deadlines: work that takes too long fails, and waiting for slots does not count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import { Failure } from '../../../model/failures.ts'
import { Deadline } from './deadline.ts'

const late = () => new Failure('task.deadline', 'too late')
const forever = () => new Promise<never>(() => {})

test('work that never ends fails at its timeout, and its abort signal fires', async () => {
  const clock = new FakeClock()
  using deadline = new Deadline(clock, 1_000, late)
  const running = deadline.over(forever())
  clock.advance(999)
  assert.equal(deadline.signal.aborted, false)
  clock.advance(1)
  await assert.rejects(running, { code: 'task.deadline' })
  assert.equal(deadline.signal.aborted, true)
  await assert.rejects(deadline.over(forever()), { code: 'task.deadline' })
})

test('the timeout of a task does not run while it waits for its slot', async () => {
  const clock = new FakeClock()
  using deadline = new Deadline(clock, 1_000, late)
  const running = deadline.over(forever())
  clock.advance(600)
  const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const waits = turns.map(({ promise }) => deadline.whileWaiting(() => promise))
  clock.advance(5_000)
  turns[0]!.resolve()
  await waits[0]
  clock.advance(5_000)
  turns[1]!.resolve()
  await waits[1]
  clock.advance(399)
  assert.equal(deadline.signal.aborted, false)
  clock.advance(1)
  await assert.rejects(running, { code: 'task.deadline' })
})

test('work that ends in time is not interrupted, and neither is work without a timeout', async () => {
  const clock = new FakeClock()
  using deadline = new Deadline(clock, 1_000, late)
  assert.equal(await deadline.over(Promise.resolve('done')), 'done')
  deadline[Symbol.dispose]()
  using never = new Deadline(clock, 0, late)
  clock.advance(100_000_000)
  assert.equal(deadline.signal.aborted || never.signal.aborted, false)
})
