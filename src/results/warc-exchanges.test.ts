// Tests writing and reading the exchanges of a WARC file, request by request.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from '../model/page/page.ts'
import { warcRecord } from './warc.ts'
import { readExchanges, writeExchanges } from './warc-exchanges.ts'

const pageAt = (url: string, body: string): Page => ({
  url,
  finalUrl: url,
  status: 200,
  headers: [['content-type', 'text/html']],
  body: Buffer.from(body),
  wireBytes: body.length,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt: Date.UTC(2026, 0, 1),
  sentAt: Date.UTC(2026, 0, 1),
  endedAt: Date.UTC(2026, 0, 1) + 5,
})

test('an exchange is found by URL, method and body', () => {
  const url = 'https://example.com/search?q=1'
  const exchanges = [
    { request: { method: 'GET', url, headers: [], bodyDigest: null }, page: pageAt(url, 'form') },
    {
      request: {
        method: 'POST',
        url,
        headers: [['content-type', 'text/plain']] as const,
        bodyDigest: 'sha256:aa',
      },
      page: pageAt(url, 'first'),
    },
    { request: { method: 'POST', url, headers: [], bodyDigest: 'sha256:bb' }, page: pageAt(url, 'second') },
  ]
  assert.deepEqual(readExchanges(writeExchanges(exchanges, 'test')), exchanges)
})

test('a response without a recorded request, as in exports, counts as the response to a GET', () => {
  const page = pageAt('https://example.com/', 'hello')
  const [exchange] = readExchanges(warcRecord(page))
  assert.equal(exchange?.request.method, 'GET')
  assert.equal(exchange?.request.url, page.url)
  assert.deepEqual(exchange?.page, page)
})

test('a file that is not a WARC is refused', () => {
  assert.throws(() => readExchanges(Buffer.from('<html>\r\n\r\n')), /does not begin with "WARC/)
})
