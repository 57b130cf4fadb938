// Tests how many shards a coordinator leads while other coordinators start and stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../lib/clocks.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import { ShardShares } from './shard-shares.ts'

function openShares(shards: number) {
  const clock = new FakeClock()
  const shares = new ShardShares(shards, clock)
  const stop = new AbortController()
  let signs: () => Promise<unknown[]> = async () => []
  const presence = { workers: () => signs() } as unknown as StreamContents
  const loop = shares.keepFair(presence, stop.signal)
  /** Runs one check in which this many coordinators are running. */
  const look = async (coordinators: number | Error) => {
    signs = async () => {
      if (coordinators instanceof Error) throw coordinators
      return [
        { role: 'http-worker' },
        ...Array.from({ length: coordinators }, () => ({ role: 'coordinator' })),
      ]
    }
    clock.advance(2_000)
    await new Promise(resolve => setImmediate(resolve))
  }
  const close = async () => {
    stop.abort()
    await loop
  }
  return { clock, shares, look, [Symbol.asyncDispose]: close }
}

test('a coordinator alone leads all shards', async () => {
  await using here = openShares(4)
  for (const index of [0, 1, 2]) here.shares.lead(index)
  assert.equal(here.shares.hasRoom, true)
  here.shares.lead(3)
  assert.equal(here.shares.hasRoom, false)
})

test('when another coordinator starts, shards are released one at a time, down to the fair share', async () => {
  await using here = openShares(4)
  const led = [0, 1, 2, 3].map(index => here.shares.lead(index))
  here.clock.advance(6_000)
  const given = () => led.filter(({ over }) => over.aborted).length
  await here.look(2)
  assert.equal(given(), 1)
  led.find(({ over }) => over.aborted)![Symbol.dispose]()
  await here.look(2)
  assert.equal(given(), 2)
  led
    .filter(({ over }) => over.aborted)
    .at(0)!
    [Symbol.dispose]()
  await here.look(2)
  assert.equal(here.shares.count, 2)
})

test('a coordinator keeps a shard that it has only just started to lead', async () => {
  await using here = openShares(2)
  const led = [0, 1].map(index => here.shares.lead(index))
  await here.look(2)
  assert.equal(
    led.some(({ over }) => over.aborted),
    false,
  )
  here.clock.advance(4_000)
  await here.look(2)
  assert.equal(
    led.some(({ over }) => over.aborted),
    true,
  )
})

test('the fair share depends only on coordinators; if they cannot be counted, the last count is used', async () => {
  await using here = openShares(4)
  await here.look(2)
  for (const index of [0, 1]) here.shares.lead(index)
  assert.equal(here.shares.hasRoom, false)
  await here.look(new Error('Redis is away'))
  assert.equal(here.shares.hasRoom, false)
  await here.look(1)
  assert.equal(here.shares.hasRoom, true)
})

test('in-flight and known tasks are summed over all shards, and a shard without a report counts as zero', async () => {
  await using here = openShares(2)
  const [first, second] = [0, 1].map(index => here.shares.lead(index))
  first!.held = () => 3
  second!.held = () => 4
  first!.proxies = async () => [{ name: 'p' }] as never
  assert.equal(here.shares.held, 7)
  assert.deepEqual(here.shares.hosts, [])
  assert.deepEqual(await here.shares.proxies(), [{ name: 'p' }])
})

test('a leader reports the runnable work of all shards while the other leaders report theirs', () => {
  const clock = new FakeClock()
  const shares = new ShardShares(3, clock)
  assert.equal(shares.runnable([]), null)
  using led = shares.lead(0)
  led.runnable = () => ({ http: 1, browser: 0, process: 1 })
  shares.heardRunnable(0, { http: 90, browser: 90, process: 90 })
  shares.heardRunnable(1, { http: 10, browser: 2, process: 12 })
  clock.advance(20_000)
  shares.heardRunnable(2, { http: 5, browser: 0, process: 5 })
  assert.deepEqual(shares.runnable([]), { http: 16, browser: 2, process: 18 })
  clock.advance(15_000)
  assert.deepEqual(shares.runnable([]), { http: 6, browser: 0, process: 6 })
})
