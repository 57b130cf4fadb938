// Tests the jobs that Firecrawl's scrapes, crawls and maps create.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrapeOptionsOf } from './options.ts'
import { bodies, type CrawlV1, type CrawlV2, type MapV2, type OptionsV2 } from './schemas.ts'
import { crawlSpec, crawlWarnings, listSpec, mapSpec, mapWarnings, type SpecContext } from './spec.ts'

const context: SpecContext = {
  ...{ jobId: 'job-1', labels: {}, hasModel: false, usualRate: 1, usualPii: 'keep' as const },
}
const options = (given: object = {}) => scrapeOptionsOf({ version: 2, given: given as OptionsV2 })
const list = (given: object = {}, change: Partial<SpecContext> = {}) =>
  listSpec(['https://a.example/x'], options(given), { ...context, ...change })
const crawl = (given: object, version: 1 | 2 = 2) =>
  crawlSpec(
    bodies[version].crawl.parse({ url: 'https://a.example/docs/', ...given }) as CrawlV1 | CrawlV2,
    options(),
    {
      ...context,
    },
  )

test('every URL of a list becomes its own item, and the URL stays unchanged', () => {
  const { items, query } = listSpec(
    ['https://a.example/?b=1&a=2', 'https://a.example/?b=1&a=2'],
    options(),
    context,
  )
  assert.deepEqual(
    items?.map(({ itemId }) => itemId),
    ['url-1', 'url-2'],
  )
  assert.equal(query, 'keep')
})

test('a screenshot is an option of rendering; with actions or another window size, the screenshot becomes the last action', () => {
  const alone = list({ formats: [{ type: 'screenshot', fullPage: true }] })
  assert.deepEqual([alone.rendering?.screenshot, alone.rendering?.fullPage], [true, true])
  assert.equal(alone.actions, undefined)
  const sized = list({ formats: [{ type: 'screenshot', viewport: { width: 800, height: 600 } }] })
  assert.equal(sized.rendering?.screenshot, false)
  assert.deepEqual(
    sized.actions?.map(({ type }) => type),
    ['set-viewport', 'screenshot'],
  )
  const after = list({ formats: ['screenshot'], actions: [{ type: 'press', key: 'Enter' }] })
  assert.deepEqual(
    after.actions?.map(({ type }) => type),
    ['press', 'screenshot'],
  )
})

test('a page that actions change, or that has a screenshot, is not taken from the cache', () => {
  assert.equal(list({ maxAge: 5 }).maxAgeMs, 5)
  assert.equal(list({ maxAge: 5, actions: [{ type: 'press', key: 'Enter' }] }).maxAgeMs, undefined)
  assert.equal(list({ maxAge: 5, formats: ['screenshot'] }).maxAgeMs, undefined)
  assert.equal(list({ storeInCache: false }).maxAgeMs, undefined)
})

test('personal data is handled by default as the service is configured; a caller can request masking, unless the default is stricter', () => {
  assert.equal(list().pii, undefined)
  assert.equal(list({ redactPII: true }).pii, 'mask')
  assert.equal(list({ redactPII: true }, { usualPii: 'drop' }).pii, 'drop')
})

test('a schema becomes rules for the model only if a model is configured', () => {
  const schema = { type: 'object', properties: { price: { type: 'number' } } }
  const given = { formats: [{ type: 'json', schema }] }
  assert.equal(list(given).extract, undefined)
  assert.equal(list(given, { hasModel: true }).llm, 'fallback')
})

test('a header that the caller sets wins over the languages of the location', () => {
  const location = { languages: ['de', 'en'] }
  assert.equal(list({ location }).headers?.['accept-language'], 'de, en')
  assert.equal(list({ location, headers: { 'accept-language': 'fr' } }).headers?.['accept-language'], 'fr')
})

test('the timeout limits each step of a task, and a wait in the browser is added to the timeout', () => {
  const { policy } = list({ timeout: 5_000, waitFor: 700 })
  assert.deepEqual(policy.timeouts, { totalMs: 5_000, headersMs: 5_000 })
  assert.equal(policy.browser?.taskMs, 5_700)
})

test('a crawl stays below its start, unless the whole site or other sites are requested', () => {
  assert.deepEqual(crawl({}).exclude, ['not-re:^/docs/'])
  assert.deepEqual(crawl({ crawlEntireDomain: true }).exclude, [])
  assert.deepEqual(crawl({ allowExternalLinks: true }).exclude, [])
  assert.deepEqual(crawl({ url: 'https://a.example/' }).exclude, [])
  assert.deepEqual(crawl({ allowBackwardLinks: true }, 1).exclude, [])
  assert.deepEqual(crawl({ url: 'https://a.example/a.b+c' }).exclude, ['not-re:^/a\\.b\\+c'])
})

test('includePaths and excludePaths match the path, or the whole URL if an option says so', () => {
  assert.deepEqual(crawl({ includePaths: ['/a'], excludePaths: ['/b'] }).include, ['re:/a'])
  assert.equal(crawl({ excludePaths: ['/b'] }).exclude?.[0], 're:/b')
  assert.deepEqual(crawl({ includePaths: ['/a'], regexOnFullURL: true }).include, ['re-url:/a'])
})

test('the delay option lowers the rate, and never raises it', () => {
  assert.deepEqual(crawl({ delay: 4 }).policy.host, { rate: 0.25, concurrency: 1 })
  assert.equal(crawl({ delay: 1 }).policy.host, undefined)
  assert.equal(crawl({ delay: 0.1 }).policy.host, undefined)
})

test('the options for sitemaps and depth have other names in version 1', () => {
  assert.equal(crawl({ sitemap: 'only' }).sitemap, 'only')
  assert.equal(crawl({ ignoreSitemap: true }, 1).sitemap, 'skip')
  assert.equal(crawl({ ignoreSitemap: false }, 1).sitemap, 'include')
  assert.equal(crawl({ maxDepth: 3 }, 1).depth, 3)
  assert.equal(crawl({ maxDepth: 3, maxDiscoveryDepth: 1 }, 1).depth, 1)
})

test('each crawl option without an effect has a warning', () => {
  const given = bodies[2].crawl.parse({
    url: 'https://a.example/',
    prompt: 'x',
    robotsUserAgent: 'y',
  }) as CrawlV2
  assert.deepEqual(
    crawlWarnings(given).map(text => text.split(':')[0]),
    ['prompt', 'robotsUserAgent'],
  )
})

const map = (given: object) => bodies[2].map.parse({ url: 'https://a.example/', ...given }) as MapV2

test('a map with a search collects more URLs than it will return', () => {
  const pagesOf = (given: object) => mapSpec(map(given), { proxy: {} }, context).maxPages
  assert.equal(pagesOf({ limit: 7 }), 7)
  assert.ok(pagesOf({ limit: 7, search: 'price' })! > 7)
})

test('a map stores no pages, and names ignored options in a warning', () => {
  assert.equal(mapSpec(map({}), { proxy: {} }, context).results?.raw, 'none')
  assert.deepEqual(mapWarnings(map({})), [])
})
