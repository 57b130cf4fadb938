// Tests the queue limit for scrapes: concurrent requests cannot exceed it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueRoom } from './queue-room.ts'

const full = { code: 'queue.full' }

test('requests in flight count against the queue depth, separately for each workspace', async () => {
  const room = new QueueRoom({ load: async () => ({ tasks: 3 }) }, 5)
  const [first, second] = await Promise.all([room.hold('mine', 1), room.hold('mine', 1)])
  await assert.rejects(room.hold('mine', 1), full)
  await room.hold('theirs', 2)
  first[Symbol.dispose]()
  second[Symbol.dispose]()
  await room.hold('mine', 2)
})

test('a request that is refused, or that cannot be counted, frees its place', async () => {
  let isDown = false
  const load = async () => {
    if (isDown) throw new Error('the store is away')
    return { tasks: 0 }
  }
  const room = new QueueRoom({ load }, 5)
  await assert.rejects(room.hold('mine', 6), full)
  isDown = true
  await assert.rejects(room.hold('mine', 1), /away/)
  isDown = false
  await room.hold('mine', 5)
})
