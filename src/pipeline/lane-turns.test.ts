// Turns at spaced hosts, where other processes ask the same ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../lib/clocks.ts'
import type { TimedTask } from '../model/lane.ts'
import { LaneTurns } from './lane-turns.ts'
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

test('a request that goes out in its time says nothing', async () => {
  const { clock, late, take } = open()
  using turn = await take()
  clock.advance(5)
  turn.goOut()
  assert.deepEqual([turn.hasLapsed, late], [false, []])
})

test('one that is late by more than a twentieth of the distance has lapsed where the next start is out already', async () => {
  const { clock, late, take } = open()
  using turn = await take()
  clock.advance(6)
  assert.throws(turn.goOut, { code: 'host.not-now' })
  assert.deepEqual([turn.hasLapsed, late], [true, []])
})

test('where the next start is far, a late one goes out, and is told of', async () => {
  const { clock, late, take } = open({ gapMs: 1_000 })
  using turn = await take()
  clock.advance(800)
  turn.goOut()
  assert.deepEqual([turn.hasLapsed, late], [false, [800]])
  clock.advance(1_000)
  using next = await take()
  assert.throws(next.goOut, { code: 'host.not-now' })
})

test('a turn that lapsed asked nobody: the next one need not keep its distance from it', async () => {
  const { clock, start, take, late } = open()
  {
    using turn = await take()
    clock.advance(50)
    assert.equal(turn.lapses(), true)
  }
  using again = await take(start + 70)
  again.goOut()
  assert.equal(again.hasLapsed, false)
  assert.deepEqual(late, [], 'it was asked for, and is where the host expects it')
})

test('where nobody else asks the hosts of a lane, a turn waits', async () => {
  const { clock, task } = open()
  const turns = new LaneTurns(clock)
  const { goodForMs: _, ...alone } = task
  using turn = await turns.take(task, turns.plannedUntil(alone), never)
  clock.advance(60_000)
  turn.goOut()
  assert.equal(turn.hasLapsed, false)
})

test('where starts may be close for a while, one that is late by the whole distance still goes out', () => {
  assert.equal(startGoodForMs(1, 1_000), 1_000)
  assert.equal(startGoodForMs(1_000, 1_000), 800)
  assert.equal(startGoodForMs(100, 100), 5)
})
