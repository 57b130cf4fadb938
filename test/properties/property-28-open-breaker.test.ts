// Property 28: an open breaker refuses at once, says until when, and touches no other host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'

const t0 = Date.UTC(2026, 0, 1)
const limits = fc.record(
  {
    rate: fc.oneof(fc.constant('unlimited' as const), fc.integer({ min: 1, max: 1_000 })),
    burst: fc.integer({ min: 1, max: 100 }),
    concurrency: fc.integer({ min: 1, max: 1_000 }),
    robots: fc.constantFrom('obey' as const, 'ignore' as const),
  },
  { requiredKeys: [] },
)

test('Property 28: while the breaker is open no request starts, whatever a job asks for', () => {
  const cooldown = fc.integer({ min: 1_000, max: 3_600_000 })
  fc.assert(
    fc.property(
      cooldown,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      limits,
      (cooldownMs, share, ask) => {
        const policy = hostPolicy.parse({ breaker: { failures: 1, cooldownMs } })
        const table = new HostTable({ policyFor: () => policy })
        table.finished('ill.example', { startedAt: t0, endedAt: t0, failure: 'fetch.timeout' }, t0)
        const now = t0 + Math.max(1_000, cooldownMs) * share
        const answer = table.reserve('ill.example', now, now, ask)
        assert.equal(answer.ok, false)
        if (now > t0 + 1_000)
          assert.deepEqual(answer, { ok: false, until: t0 + cooldownMs, reason: 'breaker' })
        assert.equal(table.reserve('well.example', now, now, ask).ok, true)
      },
    ),
  )
})

test('Property 28: late answers of requests from before do not open or close it', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), outcomes => {
      const policy = hostPolicy.parse({ breaker: { failures: 1 } })
      const table = new HostTable({ policyFor: () => policy })
      table.finished('ill.example', { startedAt: t0, endedAt: t0, failure: 'connection.lost' }, t0)
      for (const failed of outcomes) {
        const late = {
          startedAt: t0 - 5,
          endedAt: t0 + 500,
          ...(failed && { failure: 'fetch.timeout' as const }),
        }
        table.finished('ill.example', late, t0 + 500)
      }
      assert.equal(table.view('ill.example', t0 + 119_999)!.breaker, 'open')
      assert.equal(table.view('ill.example', t0 + 120_000)!.breaker, 'half_open')
    }),
  )
})
