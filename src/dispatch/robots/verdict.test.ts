// Tests what a response to a robots.txt request means, and how long it is valid.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RobotsEntry } from '../../model/host.ts'
import type { RobotsReport } from '../../model/lane.ts'
import { robotsVerdict } from './verdict.ts'

const now = Date.UTC(2026, 0, 1)
const minuteMs = 60_000
const hourMs = 60 * minuteMs

const answer = (report: Partial<RobotsReport>, kept: RobotsEntry | null = null): RobotsEntry =>
  robotsVerdict(
    { origin: 'https://a.example', status: 200, body: '', maxAgeMs: null, failure: null, ...report },
    kept,
    now,
  )

const validFor = (entry: RobotsEntry): number => entry.expiresAt - now

test('a fetched robots.txt is valid for a day, or for a shorter time that its response names', () => {
  const entry = answer({ body: 'User-agent: *' })
  assert.deepEqual(entry, {
    origin: 'https://a.example',
    status: 200,
    fetchedAt: now,
    expiresAt: now + 24 * hourMs,
    verdict: 'parsed',
    body: 'User-agent: *',
    failures: 0,
  })
  assert.equal(validFor(answer({ maxAgeMs: 2 * hourMs })), 2 * hourMs)
  assert.equal(validFor(answer({ maxAgeMs: 999 * hourMs })), 24 * hourMs)
  assert.equal(validFor(answer({ maxAgeMs: 0 })), 5 * minuteMs)
})

test('a missing robots.txt allows everything', () => {
  for (const status of [400, 401, 403, 404, 410, 418, 451])
    assert.equal(answer({ status }).verdict, 'unavailable', `${status}`)
  assert.equal(validFor(answer({ status: 404 })), 24 * hourMs)
  assert.equal(validFor(answer({ status: 403 })), hourMs)
})

test('a robots.txt with endless redirects counts as missing', () => {
  const failure = { code: 'redirect.too-many', message: 'six hops' } as const
  assert.equal(answer({ status: null, failure }).verdict, 'unavailable')
  assert.equal(answer({ status: 302 }).verdict, 'unavailable')
})

test('if robots.txt answers with a server error, no page is allowed', () => {
  for (const status of [429, 500, 503, 599, 100, null])
    assert.equal(answer({ status }).verdict, 'unreachable', `${status}`)
  const failure = { code: 'connection.lost', message: 'reset' } as const
  assert.equal(answer({ status: null, failure }).verdict, 'unreachable')
  assert.equal(
    answer({ status: 200, failure: { code: 'body.truncated', message: 'cut' } }).verdict,
    'unreachable',
  )
})

test('after a server error robots.txt is requested again every 5 minutes, later every hour; a good response resets these waits', () => {
  let entry: RobotsEntry | null = null
  const waits: number[] = []
  for (let round = 0; round < 5; round++) {
    entry = answer({ status: 503 }, entry)
    waits.push(validFor(entry) / minuteMs)
  }
  assert.deepEqual(waits, [5, 5, 5, 60, 60])
  assert.equal(entry?.failures, 5)
  assert.equal(answer({}, entry).failures, 0)
})

test('if robots.txt gets no response, it is requested again after seconds, then after the same waits as for server errors', () => {
  const failure = { code: 'connect.refused', message: 'refused' } as const
  let entry: RobotsEntry | null = null
  const waits: number[] = []
  for (let round = 0; round < 7; round++) {
    entry = answer({ status: null, failure }, entry)
    waits.push(validFor(entry) / 1_000)
  }
  assert.deepEqual(waits, [10, 10, 10, 300, 300, 300, 3_600])
})

test('while robots.txt cannot be fetched, its last good copy stays, but nothing is allowed', () => {
  const good = answer({ body: 'User-agent: *' })
  const { verdict, body } = answer({ status: 500 }, good)
  assert.deepEqual([verdict, body], ['unreachable', 'User-agent: *'])
})
