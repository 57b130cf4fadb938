// Tests pages that a test of a scraper supplies instead of the web.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRecording, pagesAtHand } from './given-pages.ts'

const signal = new AbortController().signal
const ask = (pages: Parameters<typeof pagesAtHand>[0], url: string, method?: 'GET' | 'POST') =>
  pagesAtHand(pages)({ url, ...(method && { method }) } as never, signal)
const typeOf = (page: { headers: ReadonlyArray<readonly [string, string]> }) =>
  page.headers.find(([name]) => name === 'content-type')?.[1]

test('a given page is HTML if it is text and JSON if it is an object, and it may set status and headers', async () => {
  const html = await ask({ 'https://a.example/': '<h1>a</h1>' }, 'https://a.example/')
  assert.deepEqual(
    [html.status, typeOf(html), html.body.toString()],
    [200, 'text/html; charset=utf-8', '<h1>a</h1>'],
  )
  const json = await ask({ 'https://a.example/': { body: { a: 1 } } }, 'https://a.example/')
  assert.deepEqual([typeOf(json), json.body.toString()], ['application/json', '{"a":1}'])
  const pages = {
    'https://a.example/': { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no' },
  }
  const other = await ask(pages, 'https://a.example/')
  assert.deepEqual([other.status, typeOf(other), other.body.toString()], [404, 'text/plain', 'no'])
})

test('URLs of given pages are normalized before they are compared', async () => {
  assert.equal((await ask({ 'HTTPS://A.example': 'a' }, 'https://a.example/')).body.toString(), 'a')
})

test('a POST and a GET of one URL are two pages', async () => {
  const pages = { 'https://a.example/': 'got', 'POST https://a.example/': 'posted' }
  assert.equal((await ask(pages, 'https://a.example/')).body.toString(), 'got')
  assert.equal((await ask(pages, 'https://a.example/', 'POST')).body.toString(), 'posted')
})

test('a request for a page that was not given fails, and the error lists the given pages', async () => {
  const asked = ask({ 'https://a.example/': 'a' }, 'https://b.example/')
  await assert.rejects(asked, {
    code: 'replay.unrecorded',
    message: /GET https:\/\/b\.example\/.*GET https:\/\/a\.example\//,
  })
})

test('a given page whose key is not a URL, or whose file is missing, is refused', () => {
  assert.throws(() => pagesAtHand({ 'not a url': '' }), { code: 'input.invalid', message: /not a url/ })
  assert.throws(() => openRecording('/no/such/file.warc'), {
    code: 'input.invalid',
    message: /no\/such\/file/,
  })
})
