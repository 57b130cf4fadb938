// Property 2: the service is ready exactly when a page could be fetched now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../src/lib/clocks.ts'
import { Failure } from '../../src/model/failures.ts'
import { type HealthParts, serviceHealth } from '../../src/observe/service-health.ts'
import type { Store } from '../../src/ports/store.ts'
import { found } from '../support/eventually.ts'
import { TestService } from '../support/service.ts'

const anyState = fc.record({
  isWritable: fc.boolean(),
  alive: fc.integer({ min: 0, max: 4 }),
  browserTrouble: fc.constantFrom(null, 'no browser is there'),
  configured: fc.boolean(),
  healthy: fc.integer({ min: 0, max: 3 }),
  unhealthy: fc.integer({ min: 0, max: 3 }),
})

test('Property 2: the service is ready exactly if the store, a worker, a browser and, if proxies are configured, a healthy proxy are available', async () => {
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
    poolSize: () => 1,
    browserTrouble: async () => state.browserTrouble,
    proxies: () => ({ ...state, each: [] }),
  }
}

test('Property 2: a service is ready exactly when its browser really loads a page', async () => {
  for (const lanes of [0, 1])
    for (const browserPath of [undefined, '/bin/false']) {
      await using service = await TestService.open({
        settings: { lanes, ...(browserPath && { browserPath }) },
      })
      const { status, body } = await readinessKnown(service)
      assert.equal(status, browserPath ? 503 : 200, `${lanes} lanes, ${body.checks.browser}`)
      assert.match(body.checks.browser, browserPath ? /cannot load a page/ : /^ok$/)
    }
})

/** Waits until the readiness check has a result: on a busy machine a browser may start more slowly than the timeout of the check. */
const readinessKnown = (service: TestService) =>
  found(
    'a browser that was tried',
    async () => {
      const answer = await service.ask<{ checks: { browser: string } }>('/readiness')
      return answer.body.checks.browser.includes('did not load a page within') ? undefined : answer
    },
    60_000,
  )

const hanging = () => new Promise<never>(() => {})

for (const [what, check, words, change] of [
  ['a browser', 'browser', 'the browser did not load a page', { browserTrouble: hanging }],
  [
    'a store',
    'store',
    'the store did not answer',
    { store: { checkWritable: hanging, jobs: { load: hanging } } as unknown as Store },
  ],
  ['a proxy check', 'proxies', 'the state of the proxies is unknown', { proxies: hanging }],
] as const)
  test(`Property 2: ${what} that hangs does not delay the readiness response`, async () => {
    const clock = new FakeClock()
    const asked = serviceHealth({ ...partsWith(allWell), clock, ...change }).readiness()
    clock.advance(5_000)
    const { ready, checks } = await asked
    assert.deepEqual([ready, checks[check]], [false, `${words} within 5 s`])
  })

const allWell = {
  ...{ isWritable: true, alive: 1, browserTrouble: null },
  ...{ configured: false, healthy: 0, unhealthy: 0 },
}
