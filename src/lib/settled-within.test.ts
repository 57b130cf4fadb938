// Waiting for what may never end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settledWithin } from './settled-within.ts'

test('what ends in time has ended, well or badly', async () => {
  assert.equal(await settledWithin(Promise.resolve('done'), 60_000), true)
  assert.equal(await settledWithin(Promise.reject(new Error('no')), 60_000), true)
})

test('what never ends is not waited for', async () => {
  assert.equal(await settledWithin(new Promise(() => {}), 1), false)
})
