// Property 2: the service is ready exactly when a page could be fetched now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../src/lib/clocks.ts'
import { Failure } from '../../src/model/failures.ts'
import type { Store } from '../../src/ports/store.ts'
import { type HealthParts, serviceHealth } from '../../src/roles/service-health.ts'
import { TestService } from '../support/service.ts'

const anyState = fc.record({
  isWritable: fc.boolean(),
  alive: fc.integer({ min: 0, max: 4 }),
  browserTrouble: fc.constantFrom(null, 'no browser is there'),
  configured: fc.boolean(),
  healthy: fc.integer({ min: 0, max: 3 }),
  unhealthy: fc.integer({ min: 0, max: 3 }),
})

test('Property 2: a store to write to, a worker, a browser and a proxy where they are needed: all of them, or it is not ready', async () => {
  await fc.assert(
    fc.asyncProperty(anyState, async state => {
      const { ready, checks } = await serviceHealth(partsWith(state)).readiness()
      const couldFetch =
        state.isWritable &&
        state.alive > 0 &&
        state.browserTrouble === null &&
        (!state.configured || state.healthy > 0)
      assert.equal(ready, couldFetch)
      assert.equal(
        Object.values(checks).every(check => check === 'ok'),
        ready,
      )
    }),
  )
})

function partsWith(state: {
  isWritable: boolean
  alive: number
  browserTrouble: string | null
  configured: boolean
  healthy: number
  unhealthy: number
}): HealthParts {
  const checkWritable = async () => {
    if (!state.isWritable) throw new Failure('storage.full', 'the disk is full')
  }
  return {
    store: { checkWritable } as unknown as Store,
    clock: new FakeClock(),
    version: '1',
    startedAt: 0,
    workers: () => ({ alive: state.alive, inFlight: 0 }),
    averageTaskSeconds: () => null,
    browserPool: () => null,
    browserTrouble: () => state.browserTrouble,
    proxies: () => state,
  }
}

test('Property 2: a service that runs says so with 200', async () => {
  await using service = await TestService.open()
  const { status, body } = await service.ask('/readiness', { key: null })
  assert.deepEqual([status, body.ready], [200, true])
})
