// Tests how the layers of a policy are merged, which layer each value names, and how ceilings bound values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { executionPolicy, type PolicyInput } from './policy.ts'
import { beyondCeiling, tightened } from './policy-ceilings.ts'
import { layeredPolicy, policyOfTask } from './policy-layers.ts'

const night = { from: '22:00', to: '06:00' }

test('each field of a policy comes from the last layer that sets it, and names that layer', () => {
  const { policy, policyFrom } = layeredPolicy([
    { from: 'settings', policy: { prices: { perGb: 3 } } },
    {
      from: 'scraper',
      policy: { retries: { attempts: 1, capMs: 9_000 }, hours: { ...night, days: ['sat'] } },
    },
    { from: 'job', policy: { retries: { attempts: 7 }, hours: night } },
  ])
  assert.deepEqual([policy.retries.attempts, policy.retries.capMs, policy.prices.perGb], [7, 9_000, 3])
  assert.equal(policy.hours?.days.length, 7, 'hours are replaced as a whole')
  assert.deepEqual(policyFrom, {
    'prices.perGb': 'settings',
    'retries.attempts': 'job',
    'retries.capMs': 'scraper',
    hours: 'job',
  })
})

test('a domain policy supplies values that neither the scraper nor the job sets, and a task policy overrides scraper, job and domain', () => {
  const job = layeredPolicy([{ from: 'job', policy: { retries: { attempts: 2 } } }])
  const domain = { retries: { attempts: 9, capMs: 5_000 }, maxBytes: 4_096 }
  const own = { retries: { attempts: 0 } }

  const usual = policyOfTask(job, { domain, own: null, ceilings: {} })
  assert.deepEqual(
    [usual.policy.retries.attempts, usual.policy.retries.capMs, usual.policy.maxBytes],
    [2, 5_000, 4_096],
  )
  assert.equal(usual.policyFrom['retries.capMs'], 'domain')
  const special = policyOfTask(job, { domain, own, ceilings: {} })
  assert.deepEqual([special.policy.retries.attempts, special.policyFrom['retries.attempts']], [0, 'task'])
  const bound = policyOfTask(job, {
    domain: {},
    own: { retries: { attempts: 20 } },
    ceilings: { retries: { attempts: 5 } },
  })
  assert.deepEqual([bound.policy.retries.attempts, bound.policyFrom['retries.attempts']], [2, 'ceiling'])
})

test('if a job does not store where its values came from, its values win over the domain policy', () => {
  const policy = executionPolicy.parse({})
  const domain = { retries: { attempts: 9 } }
  assert.equal(policyOfTask({ policy }, { domain, own: null, ceilings: {} }).policy.retries.attempts, 3)
})

test('a ceiling replaces looser values, for fields where higher is looser and for fields where lower is looser', () => {
  const ceilings = {
    limits: { bytes: 1_000 },
    timeouts: { totalMs: 5_000, taskMs: 60_000 },
    retries: { attempts: 1, baseMs: 2_000 },
    host: { rate: 2 },
    robots: 'obey' as const,
  }
  const loose = executionPolicy.parse({
    host: { rate: 'unlimited' },
    timeouts: { taskMs: 0 },
    robots: 'ignore',
  })
  const { policy, paths } = tightened(loose, ceilings)
  assert.deepEqual(policy.limits, { bytes: 1_000 })
  assert.deepEqual([policy.timeouts.totalMs, policy.timeouts.taskMs], [5_000, 60_000])
  assert.deepEqual([policy.retries.attempts, policy.retries.baseMs], [1, 2_000])
  assert.deepEqual([policy.host.rate, policy.robots], [2, 'obey'])
  assert.equal(paths.length, 7)
  const quiet = tightened(executionPolicy.parse({}), { host: { rate: 2 } })
  assert.equal(
    quiet.policy.host.rate,
    undefined,
    'a ceiling sets no value: hosts are requested as their policies say',
  )
})

test('values within the ceilings are never changed, and values above are lowered to the ceilings', () => {
  const asked = fc.record(
    {
      retries: fc.record({ attempts: fc.nat(20), baseMs: fc.nat(10_000) }, { requiredKeys: [] }),
      limits: fc.record(
        { pages: fc.integer({ min: 1, max: 1_000 }), bytes: fc.integer({ min: 1, max: 1e9 }) },
        { requiredKeys: [] },
      ),
      host: fc.record({ concurrency: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: [] }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<PolicyInput>
  fc.assert(
    fc.property(asked, asked, (input, bounds) => {
      const policy = executionPolicy.parse(input)
      const cut = tightened(policy, bounds)
      assert.deepEqual(tightened(cut.policy, bounds).paths, [], 'a second pass changes nothing')
      if (cut.paths.length === 0) assert.deepEqual(cut.policy, policy)
      const found = beyondCeiling(input, bounds)
      if (found) assert.ok(cut.paths.includes(found.path))
    }),
  )
})
