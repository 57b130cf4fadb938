// Tests politeness as the sites see it: over retries, several jobs, a kill and a restart, no host is requested faster than its
// policy allows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Pace, pacesOf, startArrivals } from '../support/arrivals.ts'
import { TestEngine } from '../support/engine.ts'
import { gapMs, runRestarted } from '../support/polite-runs.ts'

/** Any twenty consecutive requests take at least 95 % of the time that the policy requires. */
const fastest = 0.95
const limit = { timeout: 120_000 }

const urlsOf = (hosts: readonly string[], name: string, each: number): string[] =>
  hosts.flatMap(host => Array.from({ length: each }, (_, index) => `http://${host}/${name}/${index}`))

const wordsOf = ({ host, requests, fastestWindow, shortestGapMs }: Pace): string =>
  `${host}: ${requests} requests, a window at ${fastestWindow.toFixed(3)} of the policy, shortest gap ${shortestGapMs.toFixed(1)} ms`

function assertPolite(paces: readonly Pace[]): void {
  const hasty = paces.filter(({ fastestWindow }) => fastestWindow < fastest)
  assert.deepEqual(hasty.map(wordsOf), [])
}

test(
  '2,000 requests of two jobs to 25 hosts keep the delay of each host, even after failures and a restart',
  limit,
  async () => {
    await using site = await startArrivals({ hosts: 25, failEvery: 9 })
    await runRestarted(site, 38)
    const paces = pacesOf(await site.read(), gapMs)
    const requests = paces.reduce((sum, pace) => sum + pace.requests, 0)
    assert.ok(requests >= 2_000, `${requests} requests`)
    assertPolite(paces)
  },
)

test('a crawl delay applies from the first page on, even for a job without a rate', limit, async () => {
  await using site = await startArrivals({ hosts: 3, robots: 'User-agent: *\nCrawl-delay: 0.1' })
  await using engine = await TestEngine.open({ settings: { allowPrivate: site.hosts } })

  const { counts } = await engine.run({
    urls: urlsOf(site.hosts, 'page', 24),
    policy: { host: { rate: 'unlimited' } },
  })

  assert.equal(counts.pages, 72)
  const arrivals = await site.read()
  // The first request is for robots.txt, so the crawl delay is not known yet.
  assertPolite(pacesOf(new Map([...arrivals].map(([host, times]) => [host, times.slice(1)])), gapMs))
})
