// Slots at rate-limited hosts that other processes request too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import type { TimedTask } from '../../model/lane.ts'
import { neverLapses } from '../../ports/permits.ts'
import { LaneTurns, TaskTurn } from './lane-turns.ts'
import { startGoodForMs } from './turn-times.ts'

const never = new AbortController().signal

function open({ gapMs = 100 }: { gapMs?: number } = {}) {
  const clock = new FakeClock()
  const late: number[] = []
  const start = clock.now()
  const turns = new LaneTurns(clock, (_task, at) => late.push(at - start))
  const goodForMs = startGoodForMs(gapMs, gapMs)
  const task = { host: 'shop.example', startAt: start, gapMs, goodForMs } as TimedTask
  const take = (goodUntil = turns.plannedUntil(task)) => turns.take(task, goodUntil, never)
  return { clock, start, turns, task, late, take }
}

test('a request that is sent in its slot is not reported as late', async () => {
  const { clock, late, take } = open()
  using turn = await take()
  clock.advance(5)
  assert.deepEqual([turn.goesOut(), late], [true, []])
})

test('a request that is later than a twentieth of the delay has missed its slot if the next slot has begun', async () => {
  const { clock, late, take } = open()
  using turn = await take()
  clock.advance(6)
  assert.deepEqual([turn.goesOut(), late], [false, []])
})

test('if the next slot is far away, a late request is sent and reported', async () => {
  const { clock, late, take } = open({ gapMs: 1_000 })
  using turn = await take()
  clock.advance(800)
  assert.deepEqual([turn.goesOut(), late], [true, [800]])
  clock.advance(1_000)
  using next = await take()
  assert.equal(next.goesOut(), false)
})

test('after a missed slot, the next request needs no delay, because none was sent', async () => {
  const { clock, start, take, late } = open()
  {
    using turn = await take()
    clock.advance(50)
    assert.equal(turn.lapses(), true)
  }
  using again = await take(start + 70)
  assert.equal(again.goesOut(), true)
  assert.deepEqual(late, [], 'a requested slot is reserved at the host until it expires')
})

test('a task that misses its slot requests another, and each new slot is valid for longer', async () => {
  const { clock, turns, task } = open()
  const asked: number[] = []
  const ask = async (lapsed: number) => {
    asked.push(lapsed)
    return clock.now() + lapsed
  }
  using turn = new TaskTurn(turns, task, ask, never)
  await turn.come()
  const first = await turn.take(0)
  clock.advance(50)
  assert.equal(first?.(), false)
  const second = await turn.take(1)
  clock.advance(2)
  assert.equal(second?.(), false)
  const third = await turn.take(2)
  clock.advance(2)
  assert.deepEqual([third?.(), asked], [true, [1, 2]])
})

test('a slot that arrives after its task ended delays no other task', async () => {
  const { clock, turns, task, take } = open()
  const permit = Promise.withResolvers<number>()
  const turn = new TaskTurn(turns, task, () => permit.promise, never)
  await turn.come()
  clock.advance(50)
  assert.equal((await turn.take(0))?.(), false)
  const late = turn.take(1)
  turn[Symbol.dispose]()
  permit.resolve(neverLapses)
  await late
  const next = take(neverLapses)
  clock.advance(100)
  assert.equal((await next).goesOut(), true)
})

test('if no other worker requests the hosts of a lane, a slot does not expire', async () => {
  const { clock, task } = open()
  const turns = new LaneTurns(clock)
  const { goodForMs: _, ...alone } = task
  using turn = await turns.take(task, turns.plannedUntil(alone), never)
  clock.advance(60_000)
  assert.equal(turn.goesOut(), true)
})

test('if bursts are allowed, a request may be late by a whole delay', () => {
  assert.equal(startGoodForMs(1, 1_000), 1_000)
  assert.equal(startGoodForMs(1_000, 1_000), 800)
  assert.equal(startGoodForMs(100, 100), 5)
})
