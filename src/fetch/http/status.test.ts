// Tests the failure code of each HTTP status, and how long Retry-After says to wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '../../model/page/page.ts'
import { statusFailure } from './status.ts'

const now = Date.UTC(2026, 0, 1)

const answered = (status: number, headers: [string, string][] = []): Page => ({
  url: 'https://example.com/',
  finalUrl: 'https://example.com/',
  status,
  headers,
  body: Buffer.alloc(0),
  wireBytes: 0,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt: now,
  sentAt: now,
  endedAt: now,
})

const codeOf = (status: number) => statusFailure(answered(status), now)?.code ?? null
const waitOf = (status: number, retryAfter: string) =>
  statusFailure(answered(status, [['retry-after', retryAfter]]), now)?.details.retryAfterMs

test('each HTTP status has one failure code', () => {
  const meanings: [string | null, number[]][] = [
    [null, [200, 201, 204, 206, 299, 304]],
    ['http.not-found', [404, 410]],
    ['http.client-error', [400, 401, 403, 405, 418, 451, 499]],
    ['http.request-timeout', [408]],
    ['http.too-early', [425]],
    ['host.throttled', [429]],
    ['host.unavailable', [503]],
    ['http.server-error', [500, 501, 502, 504, 520, 599, 999]],
    ['redirect.bad', [300, 301, 302, 305, 307]],
  ]
  for (const [code, statuses] of meanings)
    for (const status of statuses) assert.equal(codeOf(status), code, `${status}`)
})

test('Retry-After is parsed in seconds and as a date', () => {
  assert.equal(waitOf(429, '120'), 120_000)
  assert.equal(waitOf(503, ' 0 '), 0)
  assert.equal(waitOf(503, 'Thu, 01 Jan 2026 00:00:30 GMT'), 30_000)
  assert.equal(waitOf(429, 'Thursday, 01-Jan-26 00:00:30 GMT'), 30_000)
})

test('a Retry-After that is negative, in the past or invalid is ignored', () => {
  for (const text of ['-5', 'Wed, 31 Dec 2025 23:59:59 GMT', 'soon', '', '1e9', '12.5', '99999999999999']) {
    assert.equal(waitOf(429, text), undefined, text)
  }
})
