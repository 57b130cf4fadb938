// Tests policies that change at run time: the operator's overrides win, and all other values stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostTable } from '../dispatch/host-table.ts'
import type { HostOverride } from '../model/conduct.ts'
import { hostPolicy } from '../model/policy/policy.ts'
import { ChangingPolicies } from './host-policies.ts'

const base = hostPolicy.parse({ rate: 10, burst: 2, actionDelayMs: { min: 10, max: 20 } })

const set = (host: string, change: Partial<HostOverride> = {}): HostOverride => ({
  ...{ host, policy: null, pausedUntil: 0, pauseReason: null, by: 'k', at: 1 },
  ...change,
})

test('a job cannot loosen the override of a host; hosts without an override use the policy of the file', () => {
  const policies = new ChangingPolicies(() => base)
  const changed = policies.setOverrides([
    set('a.example', { policy: { rate: 2, actionDelayMs: { min: 50 } } }),
  ])
  assert.deepEqual(changed, ['a.example'])
  const { rate, burst, fixed, actionDelayMs } = policies.policyFor('a.example')
  assert.deepEqual([rate, burst, fixed], [2, 2, ['rate']])
  assert.deepEqual(actionDelayMs, { min: 50, max: 50 }, 'the maximum follows the minimum of the override')
  assert.equal(policies.policyFor('b.example'), base)
})

test('only hosts with a changed policy are reported', () => {
  const policies = new ChangingPolicies(() => base)
  policies.setOverrides([set('a.example', { policy: { rate: 2 } }), set('b.example', { pausedUntil: 9 })])
  assert.deepEqual(policies.setOverrides([set('a.example', { policy: { rate: 2 } })]), ['b.example'])
})

test('a host that waits continues at once when its policy changes', () => {
  const policies = new ChangingPolicies(() => base)
  const hosts = new HostTable({ policyFor: policies.policyFor })
  policies.setOverrides([set('a.example', { pausedUntil: Number.MAX_SAFE_INTEGER })])
  assert.deepEqual(hosts.reserve('a.example', 0, 100, {}), { ok: false, until: null, reason: 'paused' })
  policies.setOverrides([])
  hosts.reviseTerms('a.example')
  assert.deepEqual(hosts.takeFreed(), ['a.example'])
  assert.equal(hosts.reserve('a.example', 0, 100, {}).ok, true)
})

test('a job cannot be faster than the override of the host', () => {
  const policies = new ChangingPolicies(() => base)
  const hosts = new HostTable({ policyFor: policies.policyFor })
  hosts.reserve('a.example', 0, 0, { rate: 'unlimited' })
  policies.setOverrides([set('a.example', { policy: { rate: 1, burst: 1, concurrency: 5 } })])
  hosts.reviseTerms('a.example')
  hosts.reserve('a.example', 0, 10_000, { rate: 'unlimited' })
  const next = hosts.reserve('a.example', 0, 100, { rate: 'unlimited' })
  assert.deepEqual([next.ok, !next.ok && next.reason], [false, 'rate'])
})
