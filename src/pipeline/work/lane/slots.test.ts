// Tests slots of rate-limited hosts that other processes request too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import type { TimedTask } from '../../../model/lane.ts'
import { neverLapses } from '../../../ports/permits.ts'
import { startGoodForMs } from './slot-times.ts'
import { LaneSlots, TaskSlot } from './slots.ts'

const never = new AbortController().signal

function open({ gapMs = 100 }: { gapMs?: number } = {}) {
  const clock = new FakeClock()
  const late: number[] = []
  const start = clock.now()
  const slots = new LaneSlots(clock, (_task, at) => late.push(at - start))
  const goodForMs = startGoodForMs(gapMs, gapMs)
  const task = { host: 'shop.example', startAt: start, gapMs, goodForMs } as TimedTask
  const take = (goodUntil = slots.plannedUntil(task)) => slots.take(task, goodUntil, never)
  return { clock, start, slots, task, late, take }
}

test('a request that is sent in its slot is not reported as late', async () => {
  const { clock, late, take } = open()
  using slot = await take()
  clock.advance(5)
  assert.deepEqual([slot.goesOut(), late], [true, []])
})

test('a request misses its slot if it is late by more than a twentieth of the delay and the next slot is near', async () => {
  const { clock, late, take } = open()
  using slot = await take()
  clock.advance(6)
  assert.deepEqual([slot.goesOut(), late], [false, []])
})

test('if the next slot is far away, a late request is sent and reported', async () => {
  const { clock, late, take } = open({ gapMs: 1_000 })
  using slot = await take()
  clock.advance(800)
  assert.deepEqual([slot.goesOut(), late], [true, [800]])
  clock.advance(1_000)
  using next = await take()
  assert.equal(next.goesOut(), false)
})

test('after a missed slot the next request needs no further delay, because nothing was sent in that slot', async () => {
  const { clock, start, take, late } = open()
  {
    using slot = await take()
    clock.advance(50)
    assert.equal(slot.lapses(), true)
  }
  using again = await take(start + 70)
  assert.equal(again.goesOut(), true)
  assert.deepEqual(late, [], 'a requested slot is reserved at the host until it expires')
})

test('a task that misses its slot requests another, and each new slot is valid for longer', async () => {
  const { clock, slots, task } = open()
  const asked: number[] = []
  const ask = async (lapsed: number) => {
    asked.push(lapsed)
    return clock.now() + lapsed
  }
  using slot = new TaskSlot(slots, task, ask, never)
  await slot.come()
  const first = await slot.take(0)
  clock.advance(50)
  assert.equal(first?.(), false)
  const second = await slot.take(1)
  clock.advance(2)
  assert.equal(second?.(), false)
  const third = await slot.take(2)
  clock.advance(2)
  assert.deepEqual([third?.(), asked], [true, [1, 2]])
})

test('a slot that is granted after its task ended delays no other task', async () => {
  const { clock, slots, task, take } = open()
  const permit = Promise.withResolvers<number>()
  const slot = new TaskSlot(slots, task, () => permit.promise, never)
  await slot.come()
  clock.advance(50)
  assert.equal((await slot.take(0))?.(), false)
  const late = slot.take(1)
  slot[Symbol.dispose]()
  permit.resolve(neverLapses)
  await late
  const next = take(neverLapses)
  clock.advance(100)
  assert.equal((await next).goesOut(), true)
})

test('if no other worker requests the hosts of a lane, a slot does not expire', async () => {
  const { clock, task } = open()
  const slots = new LaneSlots(clock)
  const { goodForMs: _, ...alone } = task
  using slot = await slots.take(task, slots.plannedUntil(alone), never)
  clock.advance(60_000)
  assert.equal(slot.goesOut(), true)
})

test('if bursts are allowed, a slot is valid for the average delay between two requests', () => {
  assert.equal(startGoodForMs(1, 1_000), 1_000)
  assert.equal(startGoodForMs(1_000, 1_000), 800)
  assert.equal(startGoodForMs(100, 100), 5)
})
