// Property 27: a host's breaker opens exactly when failures in its sliding window reach the limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'

const host = 'ill.example'
const t0 = Date.UTC(2026, 0, 1)
const anyBreaker = fc
  .integer({ min: 1, max: 30 })
  .chain(window => fc.record({ window: fc.constant(window), failures: fc.integer({ min: 1, max: window }) }))

test('Property 27: the breaker opens at the failure that reaches the limit, and not before', () => {
  fc.assert(
    fc.property(anyBreaker, fc.array(fc.boolean(), { maxLength: 100 }), (breaker, outcomes) => {
      const policy = hostPolicy.parse({ breaker })
      const table = new HostTable({ policyFor: () => policy })
      const seen: boolean[] = []
      for (const failed of outcomes) {
        seen.push(failed)
        table.finished(
          host,
          { startedAt: t0, endedAt: t0, ...(failed && { failure: 'http.server-error' }) },
          t0,
        )
        const inWindow = seen.slice(-breaker.window).filter(Boolean).length
        const shouldBeOpen = inWindow >= breaker.failures
        assert.equal(table.view(host, t0)!.breaker, shouldBeOpen ? 'open' : 'closed')
        if (shouldBeOpen) return
      }
    }),
  )
})

test('Property 27: by default, five failures among the last ten requests open the breaker for two minutes', () => {
  const policy = hostPolicy.parse({})
  const table = new HostTable({ policyFor: () => policy })
  for (const failed of [true, false, true, false, true, false, true, false, true])
    table.finished(host, { startedAt: t0, endedAt: t0, ...(failed && { failure: 'connect.timeout' }) }, t0)
  assert.equal(table.view(host, t0 + 119_999)!.breaker, 'open')
  assert.equal(table.view(host, t0 + 120_000)!.breaker, 'half_open')
})
