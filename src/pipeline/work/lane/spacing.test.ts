// Tests the delay between requests of a lane, counted from the moment when a request is really sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import type { TimedTask } from '../../../model/lane.ts'
import { LaneSpacing } from './spacing.ts'

const taskAt = (startAt: number, host = 'shop.example') => ({ host, startAt, gapMs: 100 }) as TimedTask
const never = new AbortController().signal
/** Lets pending promise callbacks run. */
const settle = () => new Promise(resolve => setImmediate(resolve))

function open() {
  const clock = new FakeClock()
  const start = clock.now()
  const spacing = new LaneSpacing(clock)
  const slots: number[] = []
  const take = async (startAt: number, host?: string) => {
    const leaving = await spacing.slot(taskAt(start + startAt, host), never)
    slots.push(clock.now() - start)
    return leaving
  }
  return { clock, take, slots }
}

test('the next request waits for the delay, counted from the moment when the previous request was sent', async () => {
  const { clock, take, slots } = open()
  const leaving = await take(0)
  const next = take(100)
  clock.advance(90)
  leaving.sent()
  await settle()
  clock.advance(99)
  await settle()
  assert.deepEqual(slots, [0], 'the connection took 90 ms: the delay counts from its end')
  clock.advance(1)
  await next
  assert.deepEqual(slots, [0, 190])
})

test('while a request is not sent yet, its host gets no other request, but other hosts do', async () => {
  const { clock, take, slots } = open()
  const leaving = await take(0)
  const next = take(100)
  clock.advance(5_000)
  await settle()
  await take(0, 'other.example')
  assert.deepEqual(slots, [0, 5_000])
  leaving.sent()
  leaving.sent()
  await settle()
  clock.advance(100)
  await next
  assert.deepEqual(slots, [0, 5_000, 5_100])
})

test('a stop ends the wait for a slot', async () => {
  const clock = new FakeClock()
  const spacing = new LaneSpacing(clock)
  const stop = new AbortController()
  const leaving = await spacing.slot(taskAt(0), stop.signal)
  const waiting = spacing.slot(taskAt(0), stop.signal)
  stop.abort(new Error('stopping'))
  leaving.sent()
  await assert.rejects(waiting, /stopping/)
})
