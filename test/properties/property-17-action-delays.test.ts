// Property 17: the pause before an action is within the limits of the host's policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { actionDelay } from '../../src/fetch/browser/action-delay.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'

const anyChance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('Property 17: a delay is a whole number of milliseconds between min and max', () => {
  const anyRange = fc
    .tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 10_000 }))
    .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }))
  fc.assert(
    fc.property(anyRange, anyChance, (actionDelayMs, chance) => {
      const delay = actionDelay(hostPolicy.parse({ actionDelayMs }), () => chance)
      assert.ok(Number.isInteger(delay) && delay >= actionDelayMs.min && delay <= actionDelayMs.max)
    }),
  )
})

test('Property 17: the delay at a host without a policy is 500 to 2000 ms, and both limits are possible', () => {
  const policy = hostPolicy.parse({})
  fc.assert(
    fc.property(anyChance, chance => {
      const delay = actionDelay(policy, () => chance)
      assert.ok(delay >= 500 && delay <= 2_000)
    }),
  )
  assert.equal(
    actionDelay(policy, () => 0),
    500,
  )
  assert.equal(
    actionDelay(policy, () => 1 - Number.EPSILON),
    2_000,
  )
})
