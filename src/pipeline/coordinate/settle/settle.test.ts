// Tests how a task is settled from its report: as succeeded, failed, skipped, or as a retry at a later time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FailureCode, failures } from '../../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../../model/lane.ts'
import { executionPolicy } from '../../../model/policy/policy.ts'
import { failedReport } from '../../work/task-report.ts'
import { discoveryOf, parkedHost, settlementOf, sitemapPriority } from './settle.ts'

const now = 1_000_000
const policy = executionPolicy.parse({ retries: { jitter: 0 } })
const context = { now, random: () => 0.5, worker: 'w', policy }

const task: TimedTask = {
  jobId: 'job',
  n: 7,
  attempt: 1,
  charged: 0,
  kind: 'page',
  url: 'https://shop.example/p',
  host: 'shop.example',
  depth: 2,
  priority: 2,
  input: null,
  itemId: null,
  way: 'http',
  wayWhy: null,
  startAt: 0,
  gapMs: 0,
}

const failed = (code: FailureCode, details: Record<string, unknown> = {}): TaskReport => ({
  ...failedReport(task, null, now),
  failure: { code, message: `because of ${code}`, details },
})

const settle = (report: TaskReport, change: Partial<TimedTask> = {}) =>
  settlementOf(report, { ...task, ...change }, context)

test('the task of a successful page succeeds, with its records, its canonical URL and its content key', () => {
  const report = { ...failed('fetch.timeout'), failure: null, canonicalKey: 1n, contentKey: 2n }
  const { state, reason, identity, charged } = settle(report)
  assert.deepEqual([state, reason, charged], ['succeeded', 'ok', false])
  assert.deepEqual(identity, { canonical: 1n, content: 2n })
})

test('further outputs of a page are stored only if there are any', () => {
  const plain = { ...failed('fetch.timeout'), failure: null }
  for (const name of ['answer', 'exactlyParsed', 'warnings']) assert.equal(name in settle(plain), false, name)
  const answer = { key: 'a' } as unknown as NonNullable<TaskReport['answer']>
  const full = settle({ ...plain, specParsed: true, warnings: { 'page.thin': 1 }, answer })
  assert.deepEqual([full.exactlyParsed, full.warnings, full.answer], [true, { 'page.thin': 1 }, answer])
})

test('an attempt that reused a cached response has the outcome not-modified, unless the attempt failed', () => {
  const report = { ...failed('fetch.timeout'), failure: null, reused: 'not-modified' as const }
  const { reason, history } = settle(report)
  assert.deepEqual([reason, history.outcome], ['not-modified', 'not-modified'])
  assert.equal(
    settle({ ...report, failure: failed('fetch.timeout').failure }).history.outcome,
    'fetch.timeout',
  )
})

test('parse and store times start at the end of the previous step, and are never negative, even if clocks differ', () => {
  const times = (change: Partial<TaskReport>) => {
    const { readMs, storeMs } = settle({ ...failed('fetch.timeout'), endedAt: now - 100, ...change }).history
    return [readMs, storeMs]
  }
  assert.deepEqual(times({}), [null, 100])
  assert.deepEqual(times({ readAt: now - 70 }), [30, 70])
  assert.deepEqual(times({ endedAt: now, readAt: now - 5 }), [0, 5])
  assert.deepEqual(times({ endedAt: now + 5 }), [null, 0])
})

test('a page that needs a browser is retried with one at once, but only once, and this attempt is not counted', () => {
  const report = failed('render.needed', { why: '#app is empty' })
  const { state, notBefore, charged, next, history } = settle(report, { attempt: 60, charged: 9 })
  assert.deepEqual([state, notBefore, charged, history.way], ['pending', 0, false, 'http'])
  assert.deepEqual(next, { way: 'browser', why: '#app is empty' })

  assert.equal(settle(report, { way: 'browser' }).state, 'failed')
})

test('temporary failures are retried after 1, 2 and 4 seconds, and then the task fails', () => {
  const waits = [0, 1, 2, 3].map(charged => settle(failed('http.server-error'), { charged }))
  assert.deepEqual(
    waits.map(({ state, notBefore }) => [state, notBefore && notBefore - now]),
    [
      ['pending', 1_000],
      ['pending', 2_000],
      ['pending', 4_000],
      ['failed', 0],
    ],
  )
  assert.ok(waits.every(({ charged }) => charged))
})

test('permanent failures end the task at once, as the failure table says', () => {
  assert.equal(settle(failed('http.not-found')).state, 'failed')
  assert.equal(settle(failed('robots.disallowed')).state, 'skipped')
})

test('a guessed sitemap that does not exist is skipped', () => {
  const guessed = settle(failed('http.not-found'), { kind: 'sitemap' })
  assert.deepEqual([guessed.state, guessed.reason], ['skipped', 'sitemap.missing'])
})

test('after a 429, the task waits for the Retry-After, up to the limit, and this attempt is not counted', () => {
  const asked = settle(failed('host.throttled', { retryAfterMs: 30_000 }))
  assert.deepEqual([asked.state, asked.notBefore - now, asked.charged], ['pending', 30_000, false])
  assert.equal(settle(failed('host.throttled', { retryAfterMs: 9e9 })).notBefore - now, 600_000)
})

test('a host whose allowed hours begin tomorrow is not requested before them, however long that is', () => {
  const wait = settle(failed('host.not-now', { retryAfterMs: 12 * 3_600_000 }))
  assert.equal(wait.notBefore - now, 12 * 3_600_000)
})

test('a page that always answers 429 fails in the end', () => {
  assert.equal(settle(failed('host.throttled'), { attempt: 19 }).state, 'pending')
  assert.equal(settle(failed('host.throttled'), { attempt: 20 }).state, 'failed')
})

test('a throttled page is moved behind the other pages of its host, at most once; a sitemap is not moved', () => {
  assert.equal(settle(failed('host.throttled')).demotedBy, 1_000_000)
  assert.equal(settle(failed('host.throttled'), { priority: 1_000_000 }).demotedBy, undefined)
  assert.equal(settle(failed('host.throttled'), { kind: 'sitemap' }).demotedBy, undefined)
  assert.equal(settle(failed('connect.refused')).demotedBy, undefined)
})

test('a connection failure of a host that answered before uses no attempt and waits longer each time', () => {
  const outage = { waitsOutOutage: true, charged: 3, attempt: 4 }
  const again = settle(failed('connect.refused'), outage)
  assert.deepEqual([again.state, again.charged], ['pending', false])
  assert.equal(settle(failed('connect.refused'), { charged: 3, attempt: 4 }).state, 'failed')
  assert.equal(
    settle(failed('http.server-error'), outage).state,
    'failed',
    'a host that responds has no outage',
  )
  const later = settle(failed('connect.refused'), { ...outage, attempt: 6 })
  assert.ok(later.notBefore > again.notBefore)
})

test('a full disk never fails a task, however often it happens', () => {
  const { state, charged } = settle(failed('storage.full'), { attempt: 500 })
  assert.deepEqual([state, charged], ['pending', false])
})

test('a task interrupted by a stop is runnable at once', () => {
  const { state, notBefore, charged } = settle(failed('worker.stopping'))
  assert.deepEqual([state, notBefore, charged], ['pending', 0, false])
})

test('a task whose proxy failed is runnable at once with another proxy; after other failures a task waits', () => {
  for (const code of ['proxy.refused', 'proxy.failed'] as const) {
    const { state, notBefore, charged } = settle(failed(code, { blames: 'proxy' }))
    assert.deepEqual([state, notBefore, charged], ['pending', 0, false], code)
    // The proxy is not excluded after this failure, so the next attempt may use it again.
    assert.equal(settle(failed(code)).notBefore - now, 1_000, code)
  }
  assert.equal(settle(failed('proxy.none-healthy', { blames: 'proxy' })).notBefore - now, 1_000)
})

test('after any failure, a task ends or waits, with the failure as its reason and without a record', () => {
  const codes = fc.constantFrom(...(Object.keys(failures) as FailureCode[]))
  const counts = fc.record({ attempt: fc.integer({ min: 1, max: 100 }), charged: fc.nat({ max: 30 }) })
  fc.assert(
    fc.property(codes, counts, fc.integer({ min: -5, max: 1e12 }), (code, change, retryAfterMs) => {
      const settlement = settle(failed(code, { retryAfterMs }), change)
      assert.equal(settlement.reason, code)
      assert.deepEqual(settlement.records, [])
      assert.deepEqual(settlement.identity, { canonical: null, content: null })
      if (failures[code].retry === 'never') assert.equal(settlement.state, failures[code].ends)
      if (settlement.state === 'pending') assert.ok(settlement.notBefore === 0 || settlement.notBefore >= now)
      else assert.equal(settlement.notBefore, 0)
    }),
  )
})

const links = {
  urls: ['https://shop.example/a'],
  hosts: ['shop.example'],
  keys: new BigInt64Array([5n]),
  refused: {},
}
const rules = {
  order: 'breadth' as const,
  fetchDepth: Number.POSITIVE_INFINITY,
  sitemapKey: (url: string) => ({ url, host: 'shop.example', key: 9n }),
}
const found = (change: Partial<TaskReport>) => ({ ...failed('fetch.timeout'), failure: null, ...change })

test('links of a page are one level deeper, and store the page on which they were found', () => {
  const [link] = discoveryOf(found({ links }), task, rules)!.tasks
  assert.deepEqual([link!.depth, link!.parent, link!.priority, link!.key], [3, 7, 3, 5n])
  const [deep] = discoveryOf(found({ links }), task, { ...rules, order: 'depth' })!.tasks
  assert.equal(deep!.priority, -3)
})

test('the refused links of a page are counted with the page', () => {
  const refused = { 'scope.host': 2 } as never
  assert.equal(discoveryOf(found({ links: { ...links, refused } }), task, rules)!.refused, refused)
  assert.deepEqual(discoveryOf(found({ sitemaps: ['https://shop.example/s.xml'] }), task, rules)!.refused, {})
})

test('a sitemap that another sitemap names is fetched later, and its task refers to the parent', () => {
  const index = { ...task, kind: 'sitemap' as const, priority: sitemapPriority }
  const [nested] = discoveryOf(found({ sitemaps: ['https://shop.example/s.xml'] }), index, rules)!.tasks
  assert.deepEqual([nested!.kind, nested!.priority, nested!.parent], ['sitemap', sitemapPriority + 1, 7])
})

test('a map job fetches the pages above its last depth', () => {
  const hostAt = (fetchDepth: number) =>
    discoveryOf(found({ links }), task, { ...rules, fetchDepth })!.tasks[0]!.host
  assert.deepEqual([hostAt(3), hostAt(2)], ['shop.example', parkedHost])
})

test('a map job lists the links at its last depth without fetching them', () => {
  const [link] = discoveryOf(found({ links }), task, { ...rules, fetchDepth: 0 })!.tasks
  assert.equal(link!.host, parkedHost)
})

test('sitemaps may name sitemaps, up to a limit', () => {
  const nested = (depth: number) =>
    discoveryOf(
      found({ sitemaps: ['https://shop.example/s.xml'] }),
      { ...task, kind: 'sitemap', priority: sitemapPriority + depth },
      rules,
    )!.tasks.length
  assert.deepEqual([0, 4, 5].map(nested), [1, 1, 0])
})

test('a page without links or sitemaps adds no tasks', () => {
  assert.equal(discoveryOf(found({}), task, rules), null)
})

test('after a refusal the site is requested again only as often as the policy allows', () => {
  const statesWith = (retries: number) =>
    [0, 1, 2].map(charged => {
      const blocks = executionPolicy.parse({ blocks: { retries } })
      return settlementOf(failed('blocked.captcha'), { ...task, charged }, { ...context, policy: blocks })
        .state
    })
  assert.deepEqual(statesWith(0), ['failed', 'failed', 'failed'])
  assert.deepEqual(statesWith(2), ['pending', 'pending', 'failed'])
  assert.equal(settle(failed('blocked.login')).state, 'failed')
})
