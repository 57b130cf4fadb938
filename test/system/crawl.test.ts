// Tests a crawl from the command line, on our own site.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const quick = (host: string) => ['--rate', 'unlimited', '--allow-private', host, '--quiet']

/** The server may measure one request late, so that the next one seems too early. Over several requests these errors balance. */
const seenLateMs = 150

function assertPace(times: number[], gapMs: number): void {
  for (let from = 0; from < times.length; from++)
    for (let to = from + 1; to < times.length; to++) {
      const least = (to - from) * gapMs * 0.95 - seenLateMs
      assert.ok(
        times[to]! - times[from]! >= least,
        `${to - from + 1} requests within ${times[to]! - times[from]!} ms`,
      )
    }
}

test('a crawl gives one record per page, and none for pages that robots.txt disallows', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const { code, stderr } = await place.run([
    'crawl',
    `${site.url}/`,
    ...quick(`${site.host}:${site.port}`),
    '-o',
    'pages.jsonl',
  ])
  assert.equal(code, 0, stderr)
  const records = await place.records('pages.jsonl')
  // Leaves out the feed, because it has a record for each of its entries.
  const urls = records.filter(record => !record.feed).map(record => record._page.url as string)
  assert.equal(new Set(urls).size, urls.length, 'a URL has two records')
  assert.ok(
    urls.some(url => url.includes('/products/')),
    'products were found',
  )
  assert.ok(urls.length > 60, `only ${urls.length} pages`)
  assert.ok(
    !site.requests.some(request => request.url.startsWith('/private/')),
    'a disallowed page was requested',
  )
  assert.equal(site.requests.filter(request => request.url === '/robots.txt').length, 1)
})

test('rules give exactly the fields that they name, and _page says where the values came from', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const { writeFile } = await import('node:fs/promises')
  await writeFile(
    place.file('rules.yaml'),
    'fields: { name: h1, price: { css: .price, as: money }, sku: { jsonld: Product.sku }, tags: { css: .tag, many: true } }\n',
  )
  const include = [
    '--include',
    '**/products/**',
    '--include',
    `${site.url}/`,
    '--include',
    '**/categories/**',
    '--include',
    '**/categories',
  ]
  const { code, stderr } = await place.run([
    'crawl',
    `${site.url}/`,
    ...quick(`${site.host}:${site.port}`),
    ...include,
    '--extract',
    'rules.yaml',
    '-o',
    'out.jsonl',
    '-o',
    'out.csv',
  ])
  assert.equal(code, 0, stderr)
  const products = (await place.records('out.jsonl')).filter(record =>
    String(record._page.url).includes('/products/'),
  )
  assert.ok(products.length >= 30)
  for (const product of products) {
    assert.deepEqual(Object.keys(product), ['name', 'price', 'sku', 'tags', '_page'])
    assert.equal(typeof (product.price as { amount: number }).amount, 'number')
    assert.equal(typeof product.sku, 'string')
    assert.ok(Array.isArray(product.tags) && product.tags.length > 0)
  }
  assert.deepEqual(Object.keys(products[0]!._page), [
    'url',
    'final_url',
    'status',
    'fetched_at',
    'task_id',
    'scraper',
    'way',
  ])
  const [head] = (await readFile(place.file('out.csv'), 'utf8')).split('\n')
  assert.match(head!, /^name,price,price_currency,sku,tags,_page_url,_page_status,_page_fetched_at\r?$/)
})

test('by default one request runs at a time, no faster than the polite rate, as the server measures it', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const rate = [
    '--rate',
    '2/s',
    '--allow-private',
    `${site.host}:${site.port}`,
    '--max-pages',
    '8',
    '--quiet',
  ]
  const { code, stderr } = await place.run(['crawl', `${site.url}/`, ...rate, '-o', 'out.jsonl'])
  assert.equal(code, 0, stderr)
  assertPace(
    site.requests.map(request => request.at),
    500,
  )
  assert.ok(
    site.requests.every(request => request.inFlight <= 1),
    'two requests at a time',
  )
  assert.equal((await place.records('out.jsonl')).length, 8)
})

test('max-pages counts each page once, and the crawl ends normally', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const { code } = await place.run([
    'crawl',
    `${site.url}/`,
    ...quick(`${site.host}:${site.port}`),
    '--max-pages',
    '7',
    '-o',
    'out.jsonl',
    '--job',
    'seven',
  ])
  assert.equal(code, 0)
  assert.equal((await place.records('out.jsonl')).length, 7)
  const shown = JSON.parse((await place.run(['jobs', 'show', 'seven', '--json'])).stdout)
  assert.equal(shown.counts.by_state.pending, 0)
  assert.ok(shown.counts.by_reason['budget.max-pages'] > 0)
})

test('a private address is refused, and the error names the flag that allows it', async () => {
  await using place = await Workplace.open({ warm: false })
  const { code, stderr } = await place.run(['crawl', 'http://127.0.0.1:9/'])
  assert.equal(code, 2)
  assert.match(stderr, /--allow-private 127\.0\.0\.1:9/)
})
