// Tests the counts of hosts, with a host table that has healthy and unhealthy hosts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '../model/failures.ts'
import { hostPolicy } from '../model/policy/policy.ts'
import { joinHostCounts } from './host-counts.ts'
import { HostTable } from './host-table.ts'

const t0 = Date.UTC(2026, 0, 1)

/** A host table whose policy opens the breaker for a minute after two failures. */
const openTable = () => {
  const policy = hostPolicy.parse({ breaker: { failures: 2, cooldownMs: 60_000 } })
  return new HostTable({ policyFor: () => policy })
}

function fail(table: HostTable, host: string, failure: FailureCode, times = 1): void {
  for (let time = 0; time < times; time += 1)
    table.finished(host, { startedAt: t0 + time, endedAt: t0 + time, failure }, t0 + time)
}

test('hosts are counted by the present state of their breaker', () => {
  const table = openTable()
  table.hold('well.example')
  fail(table, 'down.example', 'connect.failed', 2)
  assert.deepEqual(table.hostCounts(t0 + 1_000, 5).breakers, { closed: 1, open: 1, half_open: 0 })
  assert.deepEqual(table.hostCounts(t0 + 61_000, 5).breakers, { closed: 1, open: 0, half_open: 1 })
})

test('a host that answered 429 is listed as slowed, a paused host as paused, and a healthy host is not listed', () => {
  const table = openTable()
  table.hold('well.example')
  fail(table, 'busy.example', 'host.throttled')
  table.pause('closed.example', null, 'maintenance')
  const { slowed, paused, troubled } = table.hostCounts(t0 + 1_000, 5)
  assert.deepEqual([slowed, paused], [1, 1])
  assert.deepEqual(troubled, [{ host: 'busy.example', breaker: 'closed', rateFactor: 0.5 }])
})

test('only the worst unhealthy hosts are listed, but all unhealthy hosts are counted', () => {
  const table = openTable()
  for (let n = 0; n < 30; n += 1) fail(table, `busy-${n}.example`, 'host.throttled')
  fail(table, 'down.example', 'connect.failed', 2)
  const { slowed, troubled } = table.hostCounts(t0 + 1_000, 3)
  assert.deepEqual([slowed, troubled.length, troubled[0]?.host], [30, 3, 'down.example'])
})

test('the counts of several host tables are merged', () => {
  const one = openTable()
  const other = openTable()
  fail(one, 'busy.example', 'host.throttled')
  fail(other, 'down.example', 'connect.failed', 2)
  const all = joinHostCounts([one.hostCounts(t0 + 1_000, 5), other.hostCounts(t0 + 1_000, 5)], 1)
  assert.deepEqual(all.breakers, { closed: 1, open: 1, half_open: 0 })
  assert.deepEqual([all.slowed, all.troubled.map(({ host }) => host)], [1, ['down.example']])
})
