// Politeness over several workers, as the sites see it: also when one of them is killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacesOf, startArrivals } from '../support/arrivals.ts'
import { gapMs, runOverWorkers } from '../support/polite-runs.ts'

const limit = { timeout: 300_000 }

/** Hosts that were asked too fast, as they saw it. */
async function tooFast() {
  await using site = await startArrivals({ hosts: 20, failEvery: 9 })
  await runOverWorkers(site, 20)
  const paces = pacesOf(await site.read(), gapMs)
  assert.equal(paces.length, 20)
  return paces.filter(({ fastestWindow }) => fastestWindow < 0.95)
}

// A machine that stands still for a tenth of a second brings one request late, and the next ones closer to it. That passes; what
// we plan wrongly is wrong each time.
test('three workers, one of them killed, ask no host faster than its policy says', limit, async t => {
  const first = await tooFast()
  if (first.length === 0) return
  t.diagnostic(`${first.length} hosts were asked too fast in the first run: ${JSON.stringify(first)}`)
  assert.deepEqual(await tooFast(), [])
})
