// Tests the library: a crawl is an iterator with the types of a scraper's schemas. A break, a signal or disposing stops it.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import * as z from 'zod'
import { crawl, defineConfig, defineScraper, Failure } from '../../../src/index.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

const openTo = (site: TestSite) => ({ allowPrivate: [`${site.host}:${site.port}`] })
const quick = { policy: { host: { rate: 'unlimited' as const } } }
const limit = { timeout: 120_000 }

test('the library yields records as soon as they are committed, each with its page', limit, async () => {
  await using site = await startTestSite()
  const urls = new Set<string>()
  const crawling = crawl({ seedUrls: [`${site.url}/`], maxPages: 12, ...quick, settings: openTo(site) })
  for await (const record of crawling) {
    assert.equal(record._page.status, 200)
    assert.equal(typeof record.title, 'string')
    urls.add(record._page.url)
  }
  assert.equal(urls.size, 12)
  assert.equal((await crawling.job).kind, 'crawl')
})

test('the library accepts rules and lists like the command line', limit, async () => {
  await using site = await startTestSite()
  const extract = { fields: { heading: 'h1', links: { css: 'a', attr: 'href', many: true } } }
  const records = await Array.fromAsync(
    crawl({ urls: [`${site.url}/about`], extract, ...quick, settings: openTo(site) }),
  )
  assert.equal(records.length, 1)
  assert.equal(records[0]!.heading, 'About Kestrel & Pine')
})

test('the types of a user’s scraper come from its input and output schemas', limit, async () => {
  await using site = await startTestSite()
  const jobs = defineScraper({
    id: 'heading-length',
    input: z.object({ path: z.string().startsWith('/') }),
    output: z.object({ heading: z.string(), length: z.number() }),
    async run({ input, open, emit }) {
      const page = await open(`${site.url}${input.path}`)
      const heading = page.text('h1') ?? ''
      emit({ heading, length: heading.length })
    },
  })
  const items = [{ itemId: 'one', input: { path: '/about' } }]
  for await (const record of crawl({ items, scraper: jobs, ...quick, settings: openTo(site) })) {
    const length: number = record.length
    const heading: string = record.heading
    assert.equal(heading.length, length)
    assert.equal(record._page.item_id, 'one')
    assert.equal(record._page.scraper, 'heading-length@1')
  }
})

test('a break in the loop over records stops the crawl', limit, async () => {
  await using site = await startTestSite()
  let seen = 0
  for await (const _record of crawl({ seedUrls: [`${site.url}/`], ...quick, settings: openTo(site) })) {
    seen += 1
    if (seen === 3) break
  }
  const asked = site.requests.length
  assert.equal(seen, 3)
  await new Promise(resolve => setTimeout(resolve, 200))
  assert.equal(site.requests.length, asked, 'a request was sent after the end')
})

test('if the signal is aborted, the iteration ends with the reason of the signal', limit, async () => {
  await using site = await startTestSite()
  const stop = new AbortController()
  const reason = new Error('enough')
  const reading = async () => {
    for await (const _record of crawl({
      seedUrls: [`${site.url}/`],
      ...quick,
      signal: stop.signal,
      settings: openTo(site),
    }))
      stop.abort(reason)
  }
  await assert.rejects(reading(), error => error === reason)
  await assert.rejects(async () => {
    for await (const _record of crawl({
      urls: [`${site.url}/`],
      signal: AbortSignal.abort(reason),
      settings: openTo(site),
    }))
      assert.fail('nothing should come')
  })
})

test(
  'with `await using`, the crawl stops at the end of the block, and leaves no files without a data directory',
  limit,
  async () => {
    await using site = await startTestSite()
    {
      await using crawling = crawl({ seedUrls: [`${site.url}/`], ...quick, settings: openTo(site) })
      const records = crawling[Symbol.asyncIterator]()
      assert.equal((await records.next()).done, false)
    }
    const asked = site.requests.length
    await new Promise(resolve => setTimeout(resolve, 200))
    assert.equal(site.requests.length, asked)
  },
)

test(
  'if the library gets a data directory, its job stays there, and the command line can read the job',
  limit,
  async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    const settings = defineConfig({ ...openTo(site), dataDir: place.file('.kscrape') })
    await Array.fromAsync(crawl({ jobId: 'from-code', urls: [`${site.url}/about`], ...quick, settings }))
    assert.ok(existsSync(place.file('.kscrape/store.sqlite')))
    assert.match((await place.run(['jobs', 'show', 'from-code'])).stdout, /from-code {2}list {2}completed/)
  },
)

test('both the iteration and the job report an error as a Failure with a code', limit, async () => {
  const wrong = crawl({ urls: ['http://127.0.0.1:9/'] })
  await assert.rejects(
    Array.fromAsync(wrong),
    error => error instanceof Failure && error.code === 'address.refused',
  )
  await assert.rejects(wrong.job, Failure)
  await assert.rejects(Array.fromAsync(crawl({ seedUrls: ['https://example.com/'], depth: -1 })), /depth/)
})
