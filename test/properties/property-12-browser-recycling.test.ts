// Property 12: a browser is replaced after it has loaded its maximum number of pages, so no browser runs forever.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { defaultLimits } from '../../src/fetch/browser/pool/retirement.ts'
import { fakePool, never, seatRequest, until } from '../support/fake-browsers.ts'

test('Property 12: a browser is replaced when pages_processed reaches the limit of pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        limit: fc.integer({ min: 1, max: 8 }),
        tasks: fc.array(fc.record({ jobId: fc.constantFrom('a', 'b'), isolated: fc.boolean() }), {
          maxLength: 40,
        }),
      }),
      async ({ limit, tasks }) => {
        const { pool, browsers } = fakePool({ limits: { ...defaultLimits, pages: limit } })
        for (const { jobId, isolated } of tasks) {
          const isolation = isolated ? ('task' as const) : ('session' as const)
          const seat = await pool.acquire(seatRequest({ jobId, isolation }), never)
          await seat.release({ isBroken: false })
          // A browser is replaced in the background, so the test waits for that before it loads the next page.
          await until(() => browsers.filter(browser => !browser.isClosed).length === 1)
          await until(() => pool.stats().recycled_count === Math.floor(pool.stats().pages_processed / limit))
        }
        // With one page at a time, each browser loads exactly its maximum number of pages, is replaced, and is then closed.
        assert.equal(pool.stats().pages_processed, tasks.length)
        assert.equal(pool.stats().recycled_count, Math.floor(tasks.length / limit))
        await pool[Symbol.asyncDispose]()
        assert.ok(browsers.every(browser => browser.isClosed))
      },
    ),
    { numRuns: 40 },
  )
})
