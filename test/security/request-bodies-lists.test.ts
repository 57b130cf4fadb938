// Tests that a valid body with a long list of URLs does not block the event loop: its URLs are checked in bounded pieces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EgressGate } from '../../src/fetch/http/index.ts'
import { listedTargets } from '../../src/pipeline/submit/listed-targets.ts'
import { parseJobSpec, planJob } from '../../src/pipeline/submit/submit-job.ts'
import { Registry } from '../../src/scraper/registry.ts'
import { sortUrls } from '../../src/server/api/firecrawl/given-urls.ts'

const urls = Array.from({ length: 25_000 }, (_, index) => `https://a.example/${index}`)
const items = urls.map(url => ({ input: { url } }))

/** Returns the largest number of URLs that `work` reads within one turn of the event loop. */
async function mostAtOnce(work: (count: () => void) => Promise<unknown>): Promise<number> {
  let now = 0
  let total = 0
  let most = 0
  let hasEnded = false
  const watch = () => {
    most = Math.max(most, now)
    now = 0
    if (!hasEnded) setImmediate(watch)
  }
  setImmediate(watch)
  await work(() => {
    now += 1
    total += 1
  })
  most = Math.max(most, now)
  hasEnded = true
  assert.equal(total, urls.length)
  return most
}

/** A list whose entries report when they are read. */
const counted = <Entry>(entries: readonly Entry[], count: () => void): Entry[] =>
  new Proxy(entries as Entry[], {
    get(list, name, self) {
      if (typeof name === 'string' && /^\d+$/.test(name)) count()
      return Reflect.get(list, name, self)
    },
  })

for (const [name, given] of Object.entries({ urls: { urls }, items: { items } }))
  test(`the first tasks of a job with 25,000 ${name} are made in pieces of at most 1,000`, async () => {
    const most = await mostAtOnce(count =>
      planJob(
        { gate: { judgeUrl: count } as unknown as EgressGate, registry: new Registry() },
        { ...parseJobSpec({}), ...given },
        { origin: { face: 'jobs' } },
      ),
    )
    assert.ok(most <= 1_000, String(most))
  })

test('the URLs of a plan are read in pieces of at most 1,000', async () => {
  const most = await mostAtOnce(count =>
    listedTargets({ ...parseJobSpec({}), urls: counted(urls, count) }, null, 20),
  )
  assert.ok(most <= 1_000, String(most))
})

test('the URLs of a Firecrawl batch are checked in pieces of at most 1,000', async () => {
  const most = await mostAtOnce(count => sortUrls(counted(urls, count), false, () => null))
  assert.ok(most <= 1_000, String(most))
})
