// Tests the host table: which policy applies to a domain, what is saved at once, and which hosts are dropped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '../model/failures.ts'
import { type HostPolicyInput, hostPolicy } from '../model/policy/policy.ts'
import { HostTable } from './host-table.ts'
import type { JobHostPolicy, KnownHostPolicy } from './host-terms.ts'

const host = 'shop.example'
const t0 = Date.UTC(2026, 0, 1)
const tableWith = (policy: HostPolicyInput = {}, fixed?: KnownHostPolicy['fixed']) => {
  const known = { ...hostPolicy.parse(policy), ...(fixed && { fixed }) }
  return new HostTable({ policyFor: () => known })
}

const end = (
  table: HostTable,
  startedAt: number,
  failure?: FailureCode,
  retryAfterMs?: number,
  now = startedAt,
) =>
  table.finished(
    host,
    {
      startedAt,
      endedAt: now,
      ...(failure && { failure }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    now,
  )

const refusal = (table: HostTable, now: number, limits: JobHostPolicy = {}) => {
  const answer = table.reserve(host, now, now, limits)
  assert.ok(!answer.ok, 'the host could be requested')
  return { reason: answer.reason, until: answer.until }
}

test('a job cannot loosen the burst or concurrency of a domain policy', () => {
  const limits = { rate: 'unlimited', concurrency: 5 } as const
  const narrow = tableWith({ concurrency: 1 }, ['concurrency'])
  assert.ok(narrow.reserve(host, t0, t0, limits).ok)
  assert.deepEqual(refusal(narrow, t0, limits), { reason: 'in-flight', until: null })
  const calm = tableWith({ rate: 1, burst: 1, concurrency: 9 }, ['burst'])
  assert.ok(calm.reserve(host, t0, t0, { burst: 3 }).ok)
  assert.deepEqual(refusal(calm, t0, { burst: 3 }), { reason: 'rate', until: t0 + 1_000 })
  const free = tableWith({ rate: 1, burst: 1, concurrency: 9 }, ['rate'])
  for (let n = 0; n < 3; n += 1) assert.ok(free.reserve(host, t0, t0, { burst: 3 }).ok)
})

test('a job that ignores robots.txt keeps its burst, whatever the crawl delay', () => {
  const table = tableWith({ rate: 1, burst: 2, concurrency: 9 })
  table.setCrawlDelay(host, 5_000)
  const ignoring = { robots: 'ignore' } as const
  assert.ok(table.reserve(host, t0, t0, ignoring).ok)
  assert.ok(table.reserve(host, t0, t0, ignoring).ok)
  assert.deepEqual(refusal(table, t0, ignoring), { reason: 'rate', until: t0 + 1_000 })
})

test('a pause is restored with its reason and its end', () => {
  const table = tableWith()
  table.pause(host, t0 + 60_000, 'operator')
  const restored = tableWith()
  restored.restore(table.takeDirty()[0]!)
  assert.deepEqual(refusal(restored, t0), { reason: 'paused', until: t0 + 60_000 })
  restored.resume(host)
  assert.equal(restored.waitOf(host, t0), null)
})

test('a host without a crawl delay is shown with no delay', () => {
  const table = tableWith()
  table.setCrawlDelay(host, null)
  assert.equal(table.view(host, t0)?.crawlDelayMs, null)
  table.setCrawlDelay(host, 5_000)
  assert.equal(table.view(host, t0)?.crawlDelayMs, 5_000)
})

test('a host whose next request may start earlier than planned is reported once', () => {
  const table = tableWith()
  table.setCrawlDelay(host, null)
  assert.deepEqual(table.takeFreed(), [host])
  assert.deepEqual(table.takeFreed(), [])
  table.setCrawlDelay(host, null)
  table.setRobotsPending(host, false)
  assert.deepEqual(table.takeFreed(), [host])
})

/** A host table with one fast, healthy host whose state was just saved. */
function keptTable(): HostTable {
  const table = tableWith({ rate: 'unlimited', concurrency: 9 })
  table.reserve(host, t0, t0, {})
  end(table, t0)
  assert.equal(table.takeDirty(t0).length, 1)
  return table
}

test('the state of a fast, healthy host is saved at most once a second', () => {
  const table = keptTable()
  table.reserve(host, t0 + 100, t0 + 100, {})
  end(table, t0 + 100)
  assert.deepEqual(table.takeDirty(t0 + 999), [])
  assert.equal(table.takeDirty(t0 + 1_000).length, 1)
})

const news: Record<string, (table: HostTable) => void> = {
  'a failure': table => end(table, t0 + 100, 'http.server-error'),
  'a Retry-After': table => end(table, t0 + 100, undefined, 5_000),
  'a pause': table => table.pause(host, null, 'operator'),
  'the end of a pause': table => table.resume(host),
  'a state that could not be saved': table => table.notKept([table.view(host, t0)!.state]),
}
for (const [what, happens] of Object.entries(news))
  test(`after ${what}, the host is saved at once, and only once`, () => {
    const table = keptTable()
    table.reserve(host, t0 + 100, t0 + 100, {})
    happens(table)
    assert.equal(table.takeDirty(t0 + 101).length, 1)
    table.reserve(host, t0 + 102, t0 + 102, {})
    assert.deepEqual(table.takeDirty(t0 + 103), [])
  })

test('a host that no job needs can be dropped', () => {
  const policy = hostPolicy.parse({})
  const table = new HostTable({ policyFor: () => policy, maxHosts: 10 })
  table.hold('once.example')
  table.release('once.example')
  table.release('once.example')
  for (let n = 0; n < 500; n += 1) table.setCrawlDelay(`h${n}.example`, null)
  table.takeFreed()
  for (let n = 500; n < 1_500; n += 1) {
    table.hold(`h${n}.example`)
    table.release(`h${n}.example`)
  }
  assert.equal(table.knows('once.example'), false)
})

test('changed settings of the operator apply to breakers too', () => {
  let policy = hostPolicy.parse({})
  const table = new HostTable({ policyFor: () => policy })
  for (let n = 0; n < 3; n += 1) end(table, t0, 'connect.refused')
  policy = hostPolicy.parse({ rate: 10 })
  table.reviseTerms(host)
  assert.deepEqual(table.takeFreed(), [host])
  assert.equal(table.view(host, t0)?.policy.rate, 10)
  assert.equal(table.view(host, t0)?.state.window.length, 3, 'the state of the host stays')
})

test('after a 429, a rate that was measured long ago does not count', () => {
  const limits = { rate: 'unlimited', concurrency: 100 } as const
  const table = tableWith()
  for (let n = 0; n < 50; n += 1) table.reserve(host, t0 + n, t0 + n, limits)
  const later = t0 + 60_000
  for (let n = 0; n < 2; n += 1) table.reserve(host, later + n, later + n, limits)
  end(table, later + 1, 'host.throttled', undefined, later + 10)
  assert.deepEqual(refusal(table, later + 10, limits), { reason: 'slowdown', until: later + 1 + 1_000 })
})
