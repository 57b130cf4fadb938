// Property 29: after the cooldown, one test request is sent. A success closes the breaker, and a failure opens it again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'

const host = 'ill.example'
const t0 = Date.UTC(2026, 0, 1)
const cooldown = fc.integer({ min: 1_000, max: 600_000 })

function openBreaker(cooldownMs: number): HostTable {
  const policy = hostPolicy.parse({
    rate: 'unlimited',
    concurrency: 100,
    breaker: { failures: 3, cooldownMs },
  })
  const table = new HostTable({ policyFor: () => policy })
  for (let n = 0; n < 3; n += 1)
    table.finished(host, { startedAt: t0, endedAt: t0, failure: 'http.server-error' }, t0)
  return table
}

test('Property 29: a half-open breaker lets exactly one test request through', () => {
  fc.assert(
    fc.property(
      cooldown,
      fc.nat({ max: 600_000 }),
      fc.integer({ min: 1, max: 20 }),
      (cooldownMs, later, askers) => {
        const table = openBreaker(cooldownMs)
        const now = t0 + cooldownMs + later
        const granted = Array.from({ length: askers }, () => table.reserve(host, now, now, {})).filter(
          answer => answer.ok,
        )
        assert.equal(granted.length, 1)
      },
    ),
  )
})

test('Property 29: the result of the last test request decides the state of the breaker', () => {
  fc.assert(
    fc.property(cooldown, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (cooldownMs, probes) => {
      const table = openBreaker(cooldownMs)
      let now = t0
      for (const isWell of probes) {
        now += cooldownMs
        assert.equal(table.view(host, now)!.breaker, 'half_open')
        assert.ok(table.reserve(host, now, now, {}).ok)
        table.finished(
          host,
          { startedAt: now, endedAt: now, ...(!isWell && { failure: 'fetch.timeout' }) },
          now,
        )
        assert.equal(table.view(host, now)!.breaker, isWell ? 'closed' : 'open')
        if (isWell) return
      }
    }),
  )
})

test('Property 29: when the breaker closes, earlier failures no longer count', () => {
  const table = openBreaker(1_000)
  table.finished(host, { startedAt: t0 + 1_000, endedAt: t0 + 1_000 }, t0 + 1_000)
  for (let n = 0; n < 2; n += 1)
    table.finished(host, { startedAt: t0 + 1_000, endedAt: t0 + 1_000, failure: 'fetch.timeout' }, t0 + 1_000)
  assert.equal(table.view(host, t0 + 1_000)!.breaker, 'closed')
})
