// Tests when the service counts as overloaded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { App } from '../app.ts'
import { refuseWhenLate } from './overload.ts'

test('work that blocks the event loop before the service listens is no overload', async () => {
  const app = fastify() as unknown as App
  try {
    const isLate = refuseWhenLate(app, 600)
    for (const stop = performance.now() + 1_500; performance.now() < stop; );
    await app.listen({ port: 0, host: '127.0.0.1' })
    // Lets due timers run.
    for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
    assert.equal(isLate(), false)
  } finally {
    await app.close()
  }
})
