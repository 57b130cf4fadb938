// The test of politeness over several workers, in any size.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacesOf, startArrivals } from '../../support/arrivals.ts'
import { gapMs, runOverWorkers } from '../../support/polite-runs.ts'

/** `each` is the number of pages that each job has at each host. */
export function testPoliteness(size: { stutter: boolean; hosts: number; each: number }): void {
  const stalls = size.stutter ? ' and one is suspended repeatedly' : ''
  test(`three workers, of which one is killed${stalls}, request no host faster than its policy allows`, async () => {
    await using site = await startArrivals({ hosts: size.hosts, failEvery: 9 })
    await runOverWorkers(site, size.each, size)
    const paces = pacesOf(await site.read(), gapMs)
    assert.equal(paces.length, size.hosts)
    assert.deepEqual(
      paces.filter(({ fastestWindow }) => fastestWindow < 0.95),
      [],
    )
  })
}
