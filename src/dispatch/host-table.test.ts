// Tests the host table: when a host allows requests, over all jobs and after a restart.
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

/** Starts a request as soon as the host allows it, at `now` or later, and ends it at once. Returns the start time. */
function ask(table: HostTable, now: number, failure?: FailureCode, limits: JobHostPolicy = {}): number {
  const answer = table.reserve(host, now, now + 3_600_000, limits)
  assert.ok(answer.ok, `refused: ${JSON.stringify(answer)}`)
  end(table, answer.at, failure)
  return answer.at
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

test('by default a host gets one request per second, one at a time', () => {
  const table = tableWith()
  assert.equal(ask(table, t0), t0)
  assert.deepEqual(refusal(table, t0 + 10), { reason: 'rate', until: t0 + 1_000 })
  table.reserve(host, t0 + 1_000, t0 + 1_000, {})
  assert.deepEqual(refusal(table, t0 + 9_000), { reason: 'in-flight', until: null })
  end(table, t0 + 1_000, undefined, undefined, t0 + 9_000)
  assert.equal(ask(table, t0 + 9_000), t0 + 9_000)
})

test('a start within the planning window is reserved at its exact time', () => {
  const table = tableWith({ concurrency: 2 })
  table.reserve(host, t0, t0, {})
  assert.deepEqual(table.reserve(host, t0 + 950, t0 + 1_050, {}), {
    ok: true,
    at: t0 + 1_000,
    gapMs: 1_000,
    burst: 1,
  })
})

test('a request that started late delays the next request, so that the full delay lies between them', () => {
  const table = tableWith()
  table.reserve(host, t0, t0, {})
  end(table, t0 + 700, undefined, undefined, t0 + 800)
  assert.deepEqual(refusal(table, t0 + 1_000), { reason: 'rate', until: t0 + 1_700 })
})

test('an unused slot can be returned, and slots reserved earlier stay reserved', () => {
  const table = tableWith({ concurrency: 9 })
  for (const at of [t0, t0 + 1_000]) table.reserve(host, at, at, {})
  table.unreserve(host, t0)
  assert.deepEqual(refusal(table, t0 + 1_000), { reason: 'rate', until: t0 + 2_000 })
  table.unreserve(host, t0 + 1_000)
  assert.equal(ask(table, t0 + 1_000), t0 + 1_000)
  assert.equal(table.view(host, t0)?.inFlight, 0)
})

test('a slot of a burst that is returned can be used once more, and only once', () => {
  const table = tableWith({ burst: 3, concurrency: 9 })
  for (let n = 0; n < 3; n += 1) table.reserve(host, t0, t0, {})
  table.unreserve(host, t0)
  assert.ok(table.reserve(host, t0, t0, {}).ok)
  assert.equal(refusal(table, t0).until, t0 + 1_000)
})

test('a job may loosen the default, but not a domain policy', () => {
  const limits = { rate: 20, concurrency: 5 }
  const loose = tableWith()
  ask(loose, t0, undefined, limits)
  assert.deepEqual(refusal(loose, t0, limits), { reason: 'rate', until: t0 + 50 })
  const strict = tableWith({ rate: 0.1 }, ['rate'])
  ask(strict, t0, undefined, limits)
  assert.deepEqual(refusal(strict, t0, limits), { reason: 'rate', until: t0 + 10_000 })
})

test('a crawl delay applies up to its maximum, unless robots.txt is ignored', () => {
  const unlimited = { rate: 'unlimited' } as const
  const table = tableWith()
  table.setCrawlDelay(host, 5_000)
  ask(table, t0, undefined, unlimited)
  assert.deepEqual(refusal(table, t0 + 1, unlimited), { reason: 'crawl-delay', until: t0 + 5_000 })
  table.setCrawlDelay(host, 90_000)
  assert.deepEqual(refusal(table, t0 + 6_000, unlimited), { reason: 'crawl-delay', until: t0 + 30_000 })
  assert.equal(ask(table, t0 + 50_000, undefined, { ...unlimited, robots: 'ignore' }), t0 + 50_000)
})

test('a crawl delay allows no bursts', () => {
  const table = tableWith({ rate: 10, burst: 5, concurrency: 9 })
  table.setCrawlDelay(host, 2_000)
  table.reserve(host, t0, t0, {})
  assert.deepEqual(refusal(table, t0), { reason: 'crawl-delay', until: t0 + 2_000 })
})

test('while robots.txt is unknown, jobs that obey it wait', () => {
  const table = tableWith()
  table.setRobotsPending(host, true)
  assert.deepEqual(refusal(table, t0), { reason: 'robots', until: null })
  assert.equal(ask(table, t0, undefined, { robots: 'ignore' }), t0)
  table.setRobotsPending(host, false)
  assert.ok(table.takeFreed().includes(host))
  assert.equal(ask(table, t0 + 2_000), t0 + 2_000)
})

test('if two jobs use one host, the stricter of their rates applies', () => {
  const fast = { rate: 20 }
  const slow = { rate: 0.5 }
  const table = tableWith()
  ask(table, t0, undefined, slow)
  assert.deepEqual(refusal(table, t0 + 100, fast), { reason: 'rate', until: t0 + 2_000 })
  const second = ask(table, t0 + 2_000, undefined, fast)
  assert.deepEqual(refusal(table, second + 50, slow), { reason: 'rate', until: second + 2_000 })
  assert.equal(
    refusal(table, second + 100, fast).until,
    second + 2_000,
    'the slow job is waiting for its slot',
  )
})

test('a looser job returns to its own rate when the stricter job ends', () => {
  const table = tableWith()
  ask(table, t0, undefined, { rate: 0.5 })
  const later = ask(table, t0 + 10_000, undefined, { rate: 20 })
  assert.equal(ask(table, later, undefined, { rate: 20 }), later + 50)
})

test('while two jobs use a host, the lower concurrency applies to both', () => {
  const many = { rate: 'unlimited', concurrency: 10 } as const
  const one = { rate: 'unlimited', concurrency: 1 } as const
  const table = tableWith()
  for (let n = 0; n < 3; n += 1) assert.ok(table.reserve(host, t0, t0, many).ok)
  assert.deepEqual(refusal(table, t0, one), { reason: 'in-flight', until: null })
  assert.deepEqual(refusal(table, t0, many), { reason: 'in-flight', until: null })
  for (let n = 0; n < 3; n += 1) end(table, t0)
  assert.ok(table.reserve(host, t0, t0, one).ok)
  end(table, t0)
  const later = t0 + 5_000
  for (let n = 0; n < 10; n += 1)
    assert.ok(table.reserve(host, later, later, many).ok, 'the strict job ended long ago')
})

test('Retry-After is obeyed up to a maximum, and an operator cannot remove the wait', () => {
  const table = tableWith({ slowdown: { maxRetryAfterMs: 60_000 } })
  table.reserve(host, t0, t0, {})
  end(table, t0, 'host.throttled', 20_000)
  assert.deepEqual(refusal(table, t0 + 5_000), { reason: 'retry-after', until: t0 + 20_000 })
  table.resume(host)
  assert.deepEqual(refusal(table, t0 + 5_000), { reason: 'retry-after', until: t0 + 20_000 })
  table.reserve(host, t0 + 20_000, t0 + 20_000, {})
  end(table, t0 + 20_000, 'http.server-error', 86_400_000)
  assert.deepEqual(refusal(table, t0 + 30_000), { reason: 'retry-after', until: t0 + 80_000 })
})

test('an unlimited host that answers 429 is requested at half its earlier rate', () => {
  const limits = { rate: 'unlimited', concurrency: 100 } as const
  const table = tableWith()
  for (let n = 0; n < 50; n += 1) table.reserve(host, t0 + n, t0 + n, limits)
  end(table, t0 + 49, 'host.throttled', undefined, t0 + 60)
  assert.deepEqual(refusal(table, t0 + 60, limits), { reason: 'slowdown', until: t0 + 49 + 40 })
  assert.equal(ask(table, t0 + 200_000, undefined, limits), t0 + 200_000)
  assert.equal(ask(table, t0 + 200_000, undefined, limits), t0 + 200_000)
})

test('many 429s to concurrent requests slow the host down once', () => {
  const table = tableWith({ rate: 10, concurrency: 5 })
  const starts = [0, 100, 200, 300].map(offset => t0 + offset)
  for (const at of starts) table.reserve(host, at, at, {})
  for (const at of starts) end(table, at, 'host.throttled', undefined, t0 + 400)
  assert.equal(table.view(host, t0 + 400)?.rateFactor, 0.5)
})

test('a pause by the operator lasts until its end time, or until the operator ends it', () => {
  const table = tableWith()
  table.pause(host, t0 + 60_000, 'maintenance')
  assert.deepEqual(refusal(table, t0), { reason: 'paused', until: t0 + 60_000 })
  table.pause(host, null, 'owner asked us to stop')
  assert.deepEqual(refusal(table, t0 + 10 ** 9), { reason: 'paused', until: null })
  table.resume(host)
  assert.equal(ask(table, t0), t0)
  table.pause(host, t0 + 90_000, 'robots.unreachable')
  assert.deepEqual(refusal(table, t0 + 5_000), { reason: 'robots', until: t0 + 90_000 })
})

test('outside its allowed hours a host waits for the next opening', () => {
  const table = tableWith({ hours: { from: '08:00', to: '18:00' } })
  assert.deepEqual(refusal(table, t0), { reason: 'hours', until: t0 + 8 * 3_600_000 })
  assert.equal(ask(table, t0 + 9 * 3_600_000), t0 + 9 * 3_600_000)
})

test('failures of kscrape itself or of a single page do not open the breaker', () => {
  const table = tableWith({ rate: 'unlimited' })
  for (const failure of [
    'http.not-found',
    'host.throttled',
    'worker.stopping',
    'robots.disallowed',
  ] as const) {
    for (let n = 0; n < 10; n += 1) end(table, t0, failure)
  }
  assert.equal(table.view(host, t0)?.breaker, 'closed')
})

test('retries of one page count once against the host; five pages open the breaker', () => {
  const table = tableWith({ rate: 'unlimited' })
  const fail = (page: string) =>
    table.finished(host, { startedAt: t0, endedAt: t0, failure: 'connect.refused', page }, t0)
  for (let n = 0; n < 20; n += 1) fail('1')
  assert.equal(table.view(host, t0)?.breaker, 'closed')
  for (const page of ['2', '3', '4', '5']) fail(page)
  assert.equal(table.view(host, t0)?.breaker, 'open')
})

test('a wall counts as a response: after ten captcha pages the breaker is still closed', () => {
  const table = tableWith({ rate: 'unlimited' })
  for (let n = 0; n < 10; n += 1) end(table, t0, 'blocked.captcha')
  assert.equal(table.view(host, t0)?.breaker, 'closed')
})

test('a page that always answers 429 slows its host once', () => {
  const table = tableWith({ rate: 10 })
  const throttle = (page: string, at: number) =>
    table.finished(host, { startedAt: at, endedAt: at, failure: 'host.throttled', page }, at)
  for (let n = 0; n < 10; n += 1) throttle('1', t0 + n)
  assert.equal(table.view(host, t0 + 10)?.rateFactor, 0.5)
  for (let n = 0; n < 10; n += 1) throttle(String(n % 2), t0 + 20 + n)
  assert.equal(table.view(host, t0 + 40)?.rateFactor, 1 / 8, 'several pages slow it down to a floor')
})

test('if a probe says nothing about the host, the breaker sends another probe', () => {
  const table = tableWith({ rate: 'unlimited', breaker: { failures: 2, cooldownMs: 1_000 } })
  for (let n = 0; n < 2; n += 1) end(table, t0, 'connect.refused')
  assert.ok(table.reserve(host, t0 + 1_000, t0 + 1_000, {}).ok)
  assert.deepEqual(refusal(table, t0 + 1_000), { reason: 'breaker', until: null })
  end(table, t0 + 1_000, 'worker.stopping')
  assert.ok(table.reserve(host, t0 + 1_000, t0 + 1_000, {}).ok)
})

test('a further request of a task waits for the delay of the host, but does not count against its concurrency', () => {
  const table = tableWith()
  table.reserve(host, t0, t0, {})
  assert.deepEqual(table.reserveExtra(host, t0, t0 + 5_000, {}), {
    ok: true,
    at: t0 + 1_000,
    gapMs: 1_000,
    burst: 1,
  })
  assert.equal(table.view(host, t0)?.inFlight, 1)
  end(table, t0, undefined, undefined, t0 + 1_500)
  assert.equal(refusal(table, t0 + 1_500).until, t0 + 2_000)
})

test('each change of a host is reported once, and a host table restored from the reports has the same waits', () => {
  const table = tableWith()
  table.reserve(host, t0, t0, {})
  end(table, t0, 'host.throttled', 20_000)
  for (let n = 0; n < 5; n += 1) end(table, t0, 'connect.refused')
  const [state] = table.takeDirty()
  assert.deepEqual(table.takeDirty(), [])
  const restored = tableWith()
  restored.restore(state!)
  for (const now of [t0 + 1, t0 + 30_000, t0 + 119_000, t0 + 130_000])
    assert.deepEqual(restored.waitOf(host, now), table.waitOf(host, now))
  assert.deepEqual(restored.view(host, t0)?.state, state)
})

test('after a restart, a host keeps its token bucket and first waits a full delay, because its last request may not be saved', () => {
  const table = tableWith({ rate: 1, burst: 3, concurrency: 3 })
  for (let n = 0; n < 3; n += 1) table.reserve(host, t0, t0, {})
  const restored = tableWith({ rate: 1, burst: 3, concurrency: 3 })
  restored.restore(table.takeDirty()[0]!)
  assert.deepEqual(refusal(restored, t0), { reason: 'rate', until: t0 + 1_000 })
  const asked = tableWith()
  asked.restore({ ...table.view(host, t0)!.state, nextAt: 0 }, t0)
  assert.deepEqual(refusal(asked, t0 + 10), { reason: 'rate', until: t0 + 1_000 })
})

test('a full host table drops only hosts that no job needs and whose state is stored', () => {
  const policy = hostPolicy.parse({})
  const table = new HostTable({ policyFor: () => policy, maxHosts: 100 })
  table.hold('held.example')
  table.reserve('busy.example', t0, t0, {})
  for (let n = 0; n < 5_000; n += 1) {
    const name = `h${n}.example`
    table.reserve(name, t0, t0, {})
    table.finished(name, { startedAt: t0, endedAt: t0 }, t0)
    table.takeDirty()
  }
  assert.ok(table.size <= 120, `${table.size} hosts`)
  assert.ok(table.knows('held.example') && table.knows('busy.example'))
  assert.ok(table.knows('h4999.example') && !table.knows('h0.example'))
})
