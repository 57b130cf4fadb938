// Tests the built-in scrapers on pages of every kind: each accepts its own kind, refuses other kinds, and never guesses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madePage } from '../../src/roles/scrapers/golden-cases.ts'
import { answeringAll } from '../../src/roles/scrapers/replay.ts'
import { type Outcome, runOver } from '../../src/roles/scrapers/run-over.ts'
import { Registry } from '../../src/scraper/registry.ts'

const registry = new Registry()

function runOn(id: string, html: string, path = '/x/y'): Promise<Outcome> {
  const url = `https://site.example${path}`
  const page = madePage(url, Buffer.from(html), { 'content-type': 'text/html; charset=utf-8' })
  return runOver(registry.get(id), { url }, answeringAll(page, id))
}

const prose =
  `<p>${'The harbour was dredged again this spring, and the ferries run on time. '.repeat(10)}</p>`.repeat(4)
const ld = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const html = (title: string, body: string) =>
  `<html><head><title>${title}</title></head><body><nav><a href="/">Home</a></nav><main><h1>${title}</h1>${body}</main></body></html>`

/** For each kind, a page with a declared type, and a page whose kind only its structure shows. */
const pages: Record<string, [declared: string, shaped: string]> = {
  article: [
    html('Harbour dredged', ld({ '@type': 'NewsArticle', headline: 'Harbour dredged' }) + prose),
    html('Harbour dredged', `<time datetime="2026-05-01">1 May 2026</time>${prose}`),
  ],
  product: [
    html('Oar', ld({ '@type': 'Product', name: 'Oar', offers: { price: 89.5, priceCurrency: 'EUR' } })),
    html('Oar', '<span class="price">€ 89.50</span><button>Add to cart</button><p>Made of ash.</p>'),
  ],
  job_posting: [
    html('Boat builder', ld({ '@type': 'JobPosting', title: 'Boat builder' })),
    html(
      'Boat builder',
      `<dl><dt>Employment type</dt><dd>Full time</dd></dl><h2>Requirements</h2>${prose}<a href="/apply">Apply now</a>`,
    ),
  ],
  company_website: [
    html('Tarn', ld({ '@type': 'Organization', name: 'Tarn & Daughters' })),
    html('About us', '<p>We build boats.</p><a href="mailto:boats@tarn.example">Write</a>'),
  ],
}

for (const [kind, [declared, shaped]] of Object.entries(pages)) {
  test(`${kind} accepts pages of its kind, whether the type is declared or found by the structure`, async () => {
    for (const page of [declared, shaped]) {
      const { records, failure, warnings } = await runOn(kind, page)
      assert.equal(failure, null)
      assert.deepEqual([records.length, warnings.flat()], [1, []])
    }
  })
}

const refusals: Array<[scraper: string, kinds: string[]]> = [
  ['article', ['product', 'job_posting']],
  ['product', ['article', 'job_posting']],
  ['job_posting', ['article', 'product']],
  ['company_website', ['article', 'product', 'job_posting']],
  ['linkedin_profile', ['article', 'product', 'job_posting']],
]

for (const [scraper, kinds] of refusals)
  test(`${scraper} refuses pages whose declared type is ${kinds.join(' or ')}`, async () => {
    for (const kind of kinds) {
      const { failure, records } = await runOn(scraper, pages[kind]![0])
      assert.equal(failure?.code, 'extract.wrong-page-kind', kind)
      assert.match(failure.message, new RegExp(`scraper ${scraper} expected .* and found an? `))
      assert.deepEqual(records, [])
    }
  })

for (const scraper of ['product', 'job_posting', 'linkedin_profile', 'company_website'])
  test(`${scraper} refuses a dated page of running text, even if the page declares no type`, async () => {
    const { failure } = await runOn(scraper, pages.article![1])
    assert.equal(failure?.code, 'extract.wrong-page-kind')
    assert.match(failure.message, /an article \(\d+ characters of running text/)
  })

test('a page with several job postings is a list, not a job posting', async () => {
  const list = Array.from({ length: 5 }, (_, index) => ({ '@type': 'JobPosting', title: `Job ${index}` }))
  const { failure } = await runOn('job_posting', html('Jobs', ld(list)))
  assert.equal(failure?.code, 'extract.wrong-page-kind')
  assert.match(failure.message, /a list of 5 job postings/)
})

test('a product review is an article, and a product page with reviews is not', async () => {
  const product = { '@type': 'Product', name: 'Oar', offers: { price: 89.5, priceCurrency: 'EUR' } }
  const review = html(
    'Oars tested',
    ld({ '@type': 'Article', headline: 'Oars tested' }) + ld(product) + prose,
  )
  assert.equal((await runOn('product', review)).failure?.code, 'extract.wrong-page-kind')
  assert.equal((await runOn('article', review)).failure, null)
  const shop = html('Oar', ld(product) + ld({ '@type': 'Review', reviewBody: 'Light.' }))
  assert.equal((await runOn('product', shop)).records[0]?.price, 89.5)
})

for (const scraper of ['job_posting', 'company_website', 'linkedin_profile', 'product', 'article'])
  test(`${scraper} returns nulls and a warning for a page with almost no content`, async () => {
    const { records, failure, warnings } = await runOn(scraper, '<title></title><p>Hello.</p>')
    assert.equal(failure, null)
    const { markdown: _, word_count: __, ...rest } = records[0]!
    assert.ok(
      Object.values(rest).every(value => value === null),
      JSON.stringify(rest),
    )
    assert.equal(warnings[0]?.[0]?.code, 'kind.unclear')
  })

test('on a page of unclear kind, a heading does not become a job title, and an owner does not become a company', async () => {
  const page = html(
    'Opening hours',
    '<p>Monday to Friday.</p><img class="logo" alt="Sunny logo" src="/l.png">',
  )
  assert.equal((await runOn('job_posting', page)).records[0]?.job_title, null)
  assert.equal((await runOn('job_posting', page)).records[0]?.description, null)
  assert.equal((await runOn('company_website', page)).records[0]?.company_name, null)
  assert.equal((await runOn('linkedin_profile', page)).records[0]?.name, null)
  const product = (await runOn('product', page)).records[0]!
  assert.deepEqual([product.name, product.image, product.availability], [null, null, null])
})

test('the product scraper refuses a recipe that links to a product, and does not take an amount of a recipe for a price', async () => {
  const pot = { '@type': 'Product', name: 'Pot', offers: { price: 50, priceCurrency: 'USD' } }
  const declared = html('Soup', ld({ '@type': 'Recipe', name: 'Soup' }) + ld(pot) + prose)
  assert.equal((await runOn('product', declared)).failure?.code, 'extract.wrong-page-kind')
  const shaped = html(
    'Soup',
    `<h2>Ingredients</h2><p class="price">1 $</p><button>Add to cart</button>${prose}`,
  )
  const { records, warnings } = await runOn('product', shaped)
  assert.deepEqual(
    [records[0]?.name, records[0]?.price, warnings[0]?.[0]?.code],
    [null, null, 'kind.unclear'],
  )
})

test('the product scraper refuses an article with a date, even if the page has a button to add a product to the cart', async () => {
  const blog = html(
    'Harbour dredged',
    `<meta property="article:published_time" content="2026-05-01"><form action="/cart/add"><button>Add to cart</button></form>${prose}`,
  )
  assert.equal((await runOn('product', blog)).failure?.code, 'extract.wrong-page-kind')
  assert.equal((await runOn('article', blog)).failure, null)
})

test('the article scraper refuses a shop page with a long description, and a front page of links', async () => {
  const shop = html('Oar', `<span class="price">€ 89.50</span><button>Add to cart</button>${prose}`)
  const { failure } = await runOn('article', shop)
  assert.equal(failure?.code, 'extract.wrong-page-kind')
  assert.match(failure.message, /a product page \(it has a price and a button to buy\)/)
  const links = '<li><a href="/a">The harbour was dredged again this spring</a></li>'.repeat(60)
  assert.equal((await runOn('article', html('News', links), '/')).failure?.code, 'extract.wrong-page-kind')
  assert.equal((await runOn('article', html('News', links), '/news')).warnings[0]?.[0]?.code, 'kind.unclear')
})

test('the number of employees is never read from running text', async () => {
  const about = html(
    'About us',
    '<p>The flood displaced more than 300 people in our town.</p><a href="mailto:a@b.example">Write</a>',
  )
  assert.equal((await runOn('company_website', about, '/about')).records[0]?.employee_count_range, null)
})
