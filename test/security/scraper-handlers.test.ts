// Tests data that a scraper passes from a page to a handler. A page and a caller try to forge the data, to enlarge them, or to
// send them elsewhere.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RecordData } from '../../src/model/record.ts'
import { defineScraper, type HandlerContext } from '../../src/scraper/define-scraper.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const secret = 'Bearer handler-secret-4711'
const policy = { host: { rate: 'unlimited' }, retries: { attempts: 0 } }

/** Follows every link of the page, and passes the words of the page to the handler. */
const shelf = defineScraper({
  id: 'shelf',
  async run({ open, follow }) {
    const page = await open()
    for (const link of page.all('a')) {
      follow(link, { to: 'book', data: JSON.parse(page.text('h1')!) })
    }
  },
  handlers: {
    async book({ open, emit, data }: HandlerContext<RecordData, RecordData>) {
      const page = await open()
      emit({
        title: page.text('h1'),
        passed: data,
        isPlain: Object.getPrototypeOf(data) === Object.prototype,
      })
    },
  },
})

let service: TestService
let site: ListeningSite
/** Another site, which the egress gate allows. */
let elsewhere: ListeningSite
/** A server on this machine that the egress gate does not allow. */
let inside: ListeningSite
before(async () => {
  inside = await ListeningSite.open({ '/': html('inside') })
  elsewhere = await ListeningSite.open({ '/': html('elsewhere') }, '127.0.0.2')
  const list = (data: string, links: string[]) =>
    `<h1>${data}</h1>${links.map(link => `<a>${link}</a>`).join('')}`
  site = await ListeningSite.open({
    '/polluting': list('{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"x": 1}}}', ['/book']),
    '/leading': list('{"rank": 1}', [`${elsewhere.url}/`, `${inside.url}/`, 'file:///etc/passwd', '/book']),
    '/large': list(`["${'a'.repeat(200_000)}"]`, ['/book']),
    '/book': html('<p>A book</p>'),
  })
  const allowPrivate = [site.place, elsewhere.place]
  service = await TestService.open({ settings: { allowPrivate, rate: 'unlimited' }, scrapers: [shelf] })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  for (const one of [site, elsewhere, inside]) await one?.[Symbol.asyncDispose]()
})

interface Item {
  url: string
  status: string
  reason: string
  message?: string
}

async function run(job: Record<string, unknown>) {
  const id = await service.submit({ scraper_id: 'shelf', policy, ...job })
  await service.ended(id)
  const { items } = (await service.ask<{ items: Item[] }>(`/jobs/${id}/items`)).body
  const { text } = await service.ask(`/jobs/${id}/export?format=jsonl`)
  const records = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>)
  return { items, records, text }
}

test('a caller cannot forge the data of a handler, because a row with a handler’s name is refused', async () => {
  const row = { _handler: 'book', data: { rank: 'forged' }, url: `${site.url}/book` }
  const answer = await service.ask('/jobs', {
    body: { scraper_id: 'shelf', policy, items: [{ input: row }] },
  })
  const ran = answer.status === 202 ? await service.ended(String(answer.body.job_id)) : null
  assert.equal(answer.status, 422, `${answer.text} ${JSON.stringify(ran)} ${site.paths}`)
  assert.match(answer.text, /items\[0\]\.input: the name \\"_handler\\" is reserved/)
  const { body } = await service.ask<{ upload_id: string; upload_url: string }>('/uploads', {
    body: { file_name: 'rows.jsonl' },
  })
  const put = await fetch(body.upload_url, { method: 'PUT', body: JSON.stringify(row) })
  assert.equal(put.status, 200)
  const uploaded = await service.submit({ scraper_id: 'shelf', policy, upload_id: body.upload_id })
  assert.deepEqual([(await service.ended(uploaded)).status, site.paths.includes('/book')], ['failed', false])
})

test('data of a page cannot change the prototypes of objects in the handler', async () => {
  const { records } = await run({ urls: [`${site.url}/polluting`] })
  assert.equal(records.length, 1)
  assert.equal(({} as Record<string, unknown>).isAdmin, undefined)
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

test('a followed link is checked by the egress gate and the scope, and headers of the job go only to their site', async () => {
  const before = site.heard.length
  const { items } = await run({ urls: [`${site.url}/leading`], headers: { Authorization: secret } })
  assert.deepEqual(inside.heard, [])
  assert.deepEqual(elsewhere.holding(['handler-secret-4711', 'rank']), [])
  assert.ok(
    site.heard
      .slice(before)
      .some(({ path, headers }) => path === '/book' && headers.authorization === secret),
  )
  assert.ok(!items.some(({ url }) => url.startsWith('file:')))
})

test('if a page passes more data to a handler than allowed, its task fails and the data are not stored', async () => {
  const { items, text } = await run({ urls: [`${site.url}/large`] })
  assert.deepEqual(
    items.map(({ status, reason }) => [status, reason]),
    [['failed', 'scraper.failed']],
  )
  assert.doesNotMatch(text + JSON.stringify(items), /aaaa/)
})
