// Tests how a host is printed: as a row of the table, and in detail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostShown } from '../../client.ts'
import { linesOf, rowOf } from './hosts.ts'

const hostOf = (change: Partial<HostShown> = {}): HostShown => ({
  ...{ host: 'shop.example', rateNow: 1, rateFactor: 1, crawlDelayMs: null, policySet: null },
  policy: {} as HostShown['policy'],
  ...{ paused: null, denied: null, breaker: { state: 'closed', until: null }, waits: null, inFlight: 2 },
  ...{ requests: 30, failures: 4, lastErrors: [], robots: [] },
  ...change,
})

test('a row of the host list shows rate, breaker and counts', () => {
  assert.deepEqual(rowOf(hostOf()).slice(0, -1), ['shop.example', '1/s', 'closed', '2', '30', '4'])
  assert.equal(rowOf(hostOf({ rateNow: 'unlimited' }))[1], 'unlimited')
  assert.equal(rowOf(hostOf({ rateNow: 1 / 3 }))[1], '0.333/s')
})

test('a host row says why the host gets no requests; if the host is both denied and paused, the row names the denial', () => {
  const paused = { until: '2026-01-01T00:00:00Z', reason: 'moves', by: 'ann', at: '' }
  const stateOf = (change: Partial<HostShown>) => rowOf(hostOf(change)).at(-1)!
  assert.match(stateOf({ paused }), /^paused until 2026-01-01T00:00:00Z: moves$/)
  assert.equal(stateOf({ paused: { ...paused, until: null, reason: null } }), 'paused')
  assert.match(stateOf({ paused, denied: 'the owner asked' }), /^denied: the owner asked$/)
  assert.doesNotMatch(stateOf({}), /paused|denied/)
})

test('the details of a host have one line for each value that is set', () => {
  const bare = linesOf(hostOf())
  const full = linesOf(
    hostOf({
      ...{ rateFactor: 0.25, waits: { reason: 'the breaker', until: 'T1' } },
      policySet: { policy: { rate: 2 }, by: 'ann', at: 'T0' },
      robots: [
        {
          ...{ origin: 'https://shop.example', verdict: 'parsed', status: 200, crawlDelayMs: null },
          ...{ frontPage: { allowed: false, rule: null }, fetchedAt: '', expiresAt: '' },
        },
      ],
      lastErrors: [{ code: 'fetch.timeout', message: null, at: null }],
    }),
  ).join('\n')
  assert.equal(bare.length, 3)
  for (const part of [
    /25 %/,
    /the breaker until T1/,
    /ann at T0: {"rate":2}/,
    /parsed, front page disallowed/,
  ])
    assert.match(full, part)
  assert.match(full, /fetch\.timeout$/)
})

test('control characters of a site do not reach the terminal', () => {
  const lastErrors = [{ code: 'http.protocol', message: '\u001b[2Jgone', at: null }]
  assert.ok(!linesOf(hostOf({ lastErrors })).join('').includes('\u001b'))
})
