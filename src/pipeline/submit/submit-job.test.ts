// Tests which jobs are refused before anything is stored, and how an accepted job starts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openTestContext, type TestContext } from '../../../test/support/coordination.ts'
import { defineScraper } from '../../scraper/define-scraper.ts'
import { parseJobBody, parseJobSpec, type SubmitOptions, submitJob } from './submit-job.ts'

const parcels = defineScraper({ id: 'parcels', input: z.object({ parcel: z.string() }), run() {} })
const open = () => openTestContext({ scrapers: [parcels] })
const submit = (here: TestContext, body: Record<string, unknown>, options?: SubmitOptions) =>
  submitJob(here.context, parseJobBody(body), options)

for (const { body, says } of [
  {
    body: { urls: ['https://a.example/', 'ftp://b.example/'] },
    says: /urls\[1\]: an absolute http or https URL/,
  },
  { body: { urls: ['https://a.example/'], max_page: 3 }, says: /max_page.*did you mean.*max_pages/ },
  { body: { urls: [] }, says: /urls/ },
  { body: { urls: ['https://a.example/'], headers: { 'x-a': 'b\r\nc: d' } }, says: /headers/ },
  { body: { job_id: '../up', urls: ['https://a.example/'] }, says: /job_id/ },
  {
    body: { urls: ['https://a.example/'], policy: { retries: { attempts: -1 } } },
    says: /policy\.retries\.attempts/,
  },
])
  test(`a body with ${JSON.stringify(body)} is refused with the path of the field`, () => {
    assert.throws(() => parseJobBody(body), { code: 'input.invalid', message: says })
  })

test('all errors of a job are reported at once', () => {
  assert.throws(() => parseJobSpec({ urls: ['x'], depth: -1 }), { message: /urls.*depth|depth.*urls/ })
})

for (const { body, code, says } of [
  { body: { urls: ['http://169.254.169.254/'] }, code: 'address.refused', says: /urls\[0\]/ },
  { body: { seed_urls: ['http://[::1]/'] }, code: 'address.refused', says: /seed_urls\[0\]/ },
  {
    body: { items: [{ input: { url: 'http://10.0.0.1/' } }] },
    code: 'address.refused',
    says: /items\[0\]\.input\.url/,
  },
  {
    body: { urls: ['https://a.example/'], scraper_id: 'parcel' },
    code: 'scraper.unknown',
    says: /did you mean "?parcels/,
  },
  { body: { urls: ['https://a.example/'], depth: 1 }, code: 'input.invalid', says: /^depth: a list/ },
  {
    body: { urls: ['https://a.example/'], extract: { fields: { a: ':::' } } },
    code: 'input.invalid',
    says: /:::/,
  },
  {
    body: { items: [{ input: { parcel: '1' } }], scraper_id: 'parcels', extract: { fields: { a: 'h1' } } },
    code: 'input.invalid',
    says: /has its own code/,
  },
  {
    body: { items: [{ input: { parcel: 1 } }], scraper_id: 'parcels' },
    code: 'input.invalid',
    says: /items\[0\]\.input/,
  },
  {
    body: { seed_urls: ['https://a.example/'], allowed_domains: ['exa mple'] },
    code: 'input.invalid',
    says: /allowed_domains/,
  },
  {
    body: {
      items: [
        { item_id: 'a', input: {} },
        { item_id: 'a', input: { b: 1 } },
      ],
    },
    code: 'input.invalid',
    says: /items\[1\]/,
  },
  {
    body: { items: [{ item_id: 'task-1', input: {} }], results: { layout: 'items' } },
    code: 'input.invalid',
    says: /task-1/,
  },
])
  test(`the job ${JSON.stringify(body)} is refused, and no job is stored`, async () => {
    await using here = await open()
    await assert.rejects(async () => submit(here, body), { code, message: says })
    assert.deepEqual(await here.context.store.jobs.list(), [])
  })

test('a job id that is in use is refused, and the existing job stays unchanged', async () => {
  await using here = await open()
  await submit(here, { job_id: 'mine', urls: ['https://a.example/'] })
  await assert.rejects(submit(here, { job_id: 'mine', urls: ['https://b.example/'] }), { code: 'job.exists' })
  assert.equal((await here.context.store.tasks.list('mine'))[0]?.url, 'https://a.example/')
})

test('two URLs that differ in any parameter are two tasks, and two equal URLs are one', async () => {
  await using here = await open()
  const urls = [
    'HTTPS://A.example:443/?b=1&a=2#x',
    'https://a.example/?b=1&a=2',
    'https://a.example/?b=1&a=2&gclid=1',
  ]
  const job = await submit(here, { urls })
  const tasks = await here.context.store.tasks.list(job.id)
  assert.deepEqual(
    tasks.map(({ url, host }) => [url, host]),
    [
      ['https://a.example/?b=1&a=2', 'a.example'],
      ['https://a.example/?b=1&a=2&gclid=1', 'a.example'],
    ],
  )
  assert.equal(job.ingest.duplicates, 1)
})

test('a row without a URL belongs to no host', async () => {
  await using here = await open()
  const job = await submit(here, {
    items: [{ item_id: 'p-1', input: { parcel: '1' } }],
    scraper_id: 'parcels',
  })
  const [task] = await here.context.store.tasks.list(job.id)
  assert.deepEqual([task?.host, task?.url, task?.itemId], ['~parcels', '', 'p-1'])
})

test('with `sitemap: only`, each seed is replaced by the sitemap of its site', async () => {
  await using here = await open()
  const job = await submit(here, {
    seed_urls: ['https://a.example/x', 'https://a.example/y'],
    sitemap: 'only',
  })
  const tasks = await here.context.store.tasks.list(job.id)
  assert.deepEqual(
    tasks.map(({ url, kind }) => [url, kind]),
    [['https://a.example/sitemap.xml', 'sitemap']],
  )
})

test('rows of a file are ingested after the job is accepted', async () => {
  await using here = await open()
  const { ingest, kind } = await submit(here, {}, { source: '/data/urls.txt' })
  assert.deepEqual([kind, ingest.source, ingest.done], ['list', '/data/urls.txt', false])
})
