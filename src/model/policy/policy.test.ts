// Tests how two policies are merged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laidOver } from './given-policy.ts'
import { executionPolicy, givenPolicy, type PolicyInput } from './policy.ts'

test('each field comes from the later of two policies, and defaults fill the rest', () => {
  const scrapers: PolicyInput = { retries: { attempts: 5, baseMs: 2_000 }, host: { rate: 0.5 } }
  const jobs: PolicyInput = { retries: { attempts: 3 }, maxBytes: 4_096 }
  const policy = executionPolicy.parse(laidOver(scrapers, jobs))
  assert.equal(policy.retries.attempts, 3)
  assert.equal(policy.retries.baseMs, 2_000)
  assert.equal(policy.host.rate, 0.5)
  assert.equal(policy.maxBytes, 4_096)
  assert.deepEqual(policy.timeouts, executionPolicy.parse({}).timeouts)
})

test('a policy is checked as the caller gave it, without defaults', () => {
  assert.deepEqual(givenPolicy.parse({ retries: { attempts: 1 } }), { retries: { attempts: 1 } })
  assert.equal(givenPolicy.safeParse({ retries: { atempts: 1 } }).success, false)
  assert.equal(givenPolicy.safeParse({ retries: { attempts: -1 } }).success, false)
})
