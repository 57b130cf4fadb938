// Property 26: a 429 halves the host's rate for a while; then it comes back in steps, all of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'

const host = 'busy.example'
const t0 = Date.UTC(2026, 0, 1)
const anyPolicy = fc
  .record({
    rate: fc.double({ min: 0.1, max: 100, noNaN: true }),
    slowdown: fc.record({
      durationMs: fc.integer({ min: 1_000, max: 600_000 }),
      restoreSteps: fc.integer({ min: 1, max: 20 }),
    }),
  })
  .map(given => hostPolicy.parse({ ...given, concurrency: 1_000 }))

function throttledAt(policy: ReturnType<typeof hostPolicy.parse>, now: number): HostTable {
  const table = new HostTable({ policyFor: () => policy })
  table.reserve(host, now, now, {})
  table.finished(host, { startedAt: now, endedAt: now, failure: 'host.throttled' }, now)
  return table
}

/** The distance between two starts that are asked for at `now`. */
function gapAt(table: HostTable, now: number): number {
  const first = table.reserve(host, now, now + 10 ** 9, {})
  assert.ok(first.ok)
  const second = table.reserve(host, now, now + 10 ** 9, {})
  assert.ok(second.ok)
  return second.at - first.at
}

const isClose = (a: number, b: number) => Math.abs(a - b) < 0.01

test('Property 26: after a 429 the host is asked at half its rate until the slowdown ends', () => {
  fc.assert(
    fc.property(anyPolicy, fc.double({ min: 0, max: 0.999, noNaN: true }), (policy, share) => {
      const table = throttledAt(policy, t0)
      const during = t0 + policy.slowdown.durationMs * share
      assert.ok(isClose(gapAt(table, during), 2_000 / (policy.rate as number)))
    }),
  )
})

test('Property 26: the rate comes back in steps, never falling, and is whole in the end', () => {
  fc.assert(
    fc.property(anyPolicy, policy => {
      const { durationMs, restoreSteps } = policy.slowdown
      const table = throttledAt(policy, t0)
      let last = 0.5
      for (let step = 1; step <= restoreSteps; step += 1) {
        const factor = table.view(
          host,
          t0 + durationMs + (durationMs * (step - 0.5)) / restoreSteps,
        )!.rateFactor
        assert.ok(factor > last && isClose(factor, 0.5 + (0.5 * step) / restoreSteps))
        last = factor
      }
      assert.equal(last, 1)
      assert.ok(isClose(gapAt(table, t0 + 2 * durationMs), 1_000 / (policy.rate as number)))
    }),
  )
})

test('Property 26: further 429s slow it further, but it is always asked again', () => {
  fc.assert(
    fc.property(anyPolicy, fc.integer({ min: 1, max: 50 }), (policy, count) => {
      const table = throttledAt(policy, t0)
      for (let n = 1; n < count; n += 1)
        table.finished(host, { startedAt: t0 + n, endedAt: t0 + n, failure: 'host.throttled' }, t0 + n)
      const { rateFactor } = table.view(host, t0 + count)!
      assert.ok(isClose(rateFactor, Math.max(1 / 8, 0.5 ** count)))
      assert.equal(table.view(host, t0 + count + 2 * policy.slowdown.durationMs)!.rateFactor, 1)
    }),
  )
})

test('Property 26: a 429 of one host leaves the others alone', () => {
  fc.assert(
    fc.property(anyPolicy, policy => {
      const table = throttledAt(policy, t0)
      const first = table.reserve('other.example', t0, t0, {})
      const second = table.reserve('other.example', t0, t0 + 10 ** 9, {})
      assert.ok(first.ok && second.ok && isClose(second.at - t0, 1_000 / (policy.rate as number)))
    }),
  )
})
