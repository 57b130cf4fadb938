// Tests how proxies are printed: configured proxies, tested proxies, and those of a service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { healthRow, knownRow, triedRow } from './proxies.ts'

test('a proxy of a service shows its problem only while it is unhealthy', () => {
  const proxy = {
    name: 'p1',
    source: 'operator',
    healthy: true,
    trouble: null,
    since: null,
    successes: 3,
    failures: 1,
  }
  assert.deepEqual(healthRow(proxy as never), ['p1', 'operator', 'healthy', '3', '1'])
  const ill = { ...proxy, healthy: false, trouble: 'proxy.failed' }
  assert.equal(healthRow(ill as never)[2], 'unhealthy: proxy.failed')
})

test('a tested proxy is shown with its error, or with the status of the response that came through it', () => {
  const tried = { name: 'p1', source: 'operator', works: true, ms: 12, trouble: null, status: 204 }
  assert.match(triedRow(tried as never).at(-1)!, /\b204\b/)
  assert.doesNotMatch(triedRow({ ...tried, status: null } as never).at(-1)!, /\d/)
  const broken = triedRow({ ...tried, works: false, trouble: 'refused' } as never)
  assert.deepEqual(broken, ['p1', 'operator', 'no', '12 ms', 'refused'])
})

test('a configured proxy shows whether it has a user, never the user', () => {
  const known = { name: 'p1', source: 'operator', country: null, hasUser: true }
  assert.deepEqual(knownRow(known as never), ['p1', 'operator', '', 'yes'])
  assert.deepEqual(knownRow({ ...known, country: 'de', hasUser: false } as never).slice(2), ['de', 'no'])
})
