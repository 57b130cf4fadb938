// Tests the wait for DNS. If the caller aborts, the wait is rejected at once, and a later DNS result is ignored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unlessAborted } from './checked-socket.ts'

test('if the caller stopped waiting for a DNS lookup, a later refusal causes no unhandled error', async () => {
  const refused = Promise.withResolvers<never>()
  const stop = new AbortController()
  const waiting = unlessAborted(refused.promise, stop.signal)
  stop.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  await assert.rejects(unlessAborted(refused.promise, stop.signal), /left/)
  const alone = Promise.withResolvers<never>()
  await assert.rejects(unlessAborted(alone.promise, stop.signal), /left/)
  for (const { reject } of [refused, alone]) reject(new Error('no such name'))
  await new Promise(resolve => setImmediate(resolve))
})

test('if the caller still waits for the DNS lookup, it gets the result or the error', async () => {
  const never = new AbortController().signal
  assert.equal(await unlessAborted(Promise.resolve(1), never), 1)
  await assert.rejects(unlessAborted(Promise.reject(new Error('no such name')), never), /no such name/)
})
