// Politeness over several workers, as the sites see it: also when one of them is killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacesOf, startArrivals } from '../support/arrivals.ts'
import { gapMs, runOverWorkers } from '../support/polite-runs.ts'

const limit = { timeout: 300_000 }

for (const stutter of [false, true])
  test(
    `three workers, one of them killed${stutter ? ' and one that stands still again and again' : ''}, ask no host faster than its policy says`,
    limit,
    async () => {
      await using site = await startArrivals({ hosts: 20, failEvery: 9 })
      await runOverWorkers(site, 20, { stutter })
      const paces = pacesOf(await site.read(), gapMs)
      assert.equal(paces.length, 20)
      assert.deepEqual(
        paces.filter(({ fastestWindow }) => fastestWindow < 0.95),
        [],
      )
    },
  )
