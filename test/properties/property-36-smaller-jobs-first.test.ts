// Property 36: tasks of smaller jobs run first, except for every fifth slot, which goes to the job that has waited longest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Dispatcher, type Plan } from '../../src/dispatch/dispatcher.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { executionPolicy, hostPolicy } from '../../src/model/policy/policy.ts'

const t0 = Date.UTC(2026, 0, 1)
const policy = executionPolicy.parse({})
const unlimited = hostPolicy.parse({ rate: 'unlimited', concurrency: 1_000 })
/** Jobs of different sizes, in any order of arrival. */
const anySizes = fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 2, maxLength: 8 })

function openJobs(sizes: number[]): Dispatcher {
  const dispatcher = new Dispatcher({ hosts: new HostTable({ policyFor: () => unlimited }) })
  sizes.forEach((size, index) => {
    dispatcher.open({
      id: `${size}`,
      createdAt: t0 + index,
      single: false,
      policy,
      remaining: () => size,
      allowance: () => 1_000,
    })
    dispatcher.addWork(`${size}`, `host-${size}`, size)
  })
  return dispatcher
}

const startsBySize = (plan: Plan) => new Map(plan.claims.map(claim => [Number(claim.jobId), claim.limit]))

test('Property 36: a larger job gets no slot beyond its share while a smaller job can use it', () => {
  fc.assert(
    fc.property(anySizes, fc.integer({ min: 1, max: 500 }), (sizes, capacity) => {
      const starts = startsBySize(openJobs(sizes).plan(t0, capacity))
      const inShare = Math.floor(capacity / 5)
      let before = 0
      for (const size of sizes.toSorted((a, b) => a - b)) {
        const roomLeft = Math.max(0, capacity - before)
        const expected = Math.min(size, roomLeft)
        const got = starts.get(size) ?? 0
        assert.ok(got >= expected - inShare, `the job of ${size} got ${got} of ${expected}`)
        assert.ok(
          got <= expected + inShare,
          `the job of ${size} got ${got}, more than ${expected} and the share`,
        )
        before += size
      }
    }),
  )
})

test('Property 36: every slot is used while any job has work', () => {
  fc.assert(
    fc.property(anySizes, fc.integer({ min: 1, max: 500 }), (sizes, capacity) => {
      const total = startsBySize(openJobs(sizes).plan(t0, capacity))
        .values()
        .reduce((sum, count) => sum + count, 0)
      assert.equal(
        total,
        Math.min(
          capacity,
          sizes.reduce((sum, size) => sum + size, 0),
        ),
      )
    }),
  )
})

test('Property 36: with one task at a time, the smallest job gets four of five slots', () => {
  fc.assert(
    fc.property(anySizes, sizes => {
      const dispatcher = openJobs(sizes)
      const smallest = Math.min(...sizes)
      let firsts = 0
      const rounds = Math.min(smallest, 4)
      for (let n = 0; n < rounds; n += 1)
        firsts += startsBySize(dispatcher.plan(t0 + n, 1)).get(smallest) ?? 0
      assert.equal(firsts, rounds)
    }),
  )
})

test('Property 36: a single task runs before jobs of any size', () => {
  fc.assert(
    fc.property(anySizes, sizes => {
      const dispatcher = openJobs(sizes)
      dispatcher.open({
        id: 'single',
        createdAt: t0 + 99,
        single: true,
        policy,
        remaining: () => 1,
        allowance: () => 1,
      })
      dispatcher.addWork('single', 'host-single', 1)
      assert.equal(dispatcher.plan(t0, 1).claims[0]?.jobId, 'single')
    }),
  )
})
