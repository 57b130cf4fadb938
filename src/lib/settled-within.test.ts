// Tests waiting for a promise that may never settle.
import assert from 'node:assert/strict'
import { access } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate as lastInTurn } from 'node:timers/promises'
import { settledWithin } from './settled-within.ts'

test('a promise that settles in time is reported as settled, resolved or rejected', async () => {
  assert.equal(await settledWithin(Promise.resolve('done'), 60_000), true)
  assert.equal(await settledWithin(Promise.reject(new Error('no')), 60_000), true)
})

test('the wait for a promise that never settles ends at its time limit', async () => {
  assert.equal(await settledWithin(new Promise(() => {}), 1), false)
})

/** Blocks the thread, like a process without CPU time. */
const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a promise that settled while the process was suspended counts as settled', async () => {
  // After this wait, timers run before results of system calls are handled.
  await lastInTurn()
  const ended = settledWithin(access(import.meta.filename), 1)
  standStill(500)
  assert.equal(await ended, true)
})
