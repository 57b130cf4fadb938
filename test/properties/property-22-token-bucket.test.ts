// Property 22: the token bucket keeps the configured rate, per domain and per job, and domains are independent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { TokenBucket } from '../../src/lib/collections/token-bucket.ts'
import { executionPolicy, hostPolicy } from '../../src/model/policy/policy.ts'

const t0 = Date.UTC(2026, 0, 1)
const bucketOptions = fc.record({
  rate: fc.double({ min: 0.05, max: 500, noNaN: true }),
  burst: fc.integer({ min: 1, max: 20 }),
})
const pauses = fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 80 })

/** Times are about 2^41 ms, where floating-point sums cannot represent smaller differences. */
const roundingMs = 0.1

/** Asserts that every time window has at most as many requests as the rate and the burst allow. */
function assertWithinRate(starts: number[], { rate, burst }: { rate: number; burst: number }): void {
  const sorted = starts.toSorted((a, b) => a - b)
  for (let first = 0; first < sorted.length; first += 1) {
    for (let last = first; last < sorted.length; last += 1) {
      const allowed = burst + ((sorted[last]! - sorted[first]! + roundingMs) * rate) / 1_000
      assert.ok(last - first + 1 <= allowed, `${last - first + 1} starts where ${allowed} are allowed`)
    }
  }
}

test('Property 22: a token bucket never gives more tokens than its rate and its burst allow', () => {
  fc.assert(
    fc.property(bucketOptions, pauses, (options, waits) => {
      const bucket = new TokenBucket(options)
      let now = t0
      const starts = waits.map(wait => {
        now += wait
        const at = bucket.earliest(now)
        bucket.take(at)
        return at
      })
      assertWithinRate(starts, options)
    }),
  )
})

test('Property 22: under constant demand a token bucket gives its full rate', () => {
  fc.assert(
    fc.property(bucketOptions, fc.integer({ min: 1, max: 200 }), (options, count) => {
      const bucket = new TokenBucket(options)
      let last = t0
      for (let n = 0; n < count; n += 1) {
        last = bucket.earliest(t0)
        bucket.take(last)
      }
      const needed = (Math.max(0, count - options.burst) * 1_000) / options.rate
      assert.ok(Math.abs(last - t0 - needed) < 1)
    }),
  )
})

test('Property 22: each domain has its own rate, whatever other domains do', () => {
  const request = fc.record({ host: fc.constantFrom('a', 'b', 'c'), wait: fc.nat({ max: 2_000 }) })
  fc.assert(
    fc.property(
      fc.array(bucketOptions, { minLength: 3, maxLength: 3 }),
      fc.array(request, { maxLength: 80 }),
      (options, requests) => {
        const indexOf = { a: 0, b: 1, c: 2 }
        const policies = options.map(given => hostPolicy.parse({ ...given, concurrency: 1_000 }))
        const together = startsOf(requests, host => policies[indexOf[host as 'a']]!)
        for (const host of ['a', 'b', 'c'] as const) {
          const starts = together.filter(start => start.host === host)
          assertWithinRate(
            starts.map(start => start.at),
            options[indexOf[host]]!,
          )
          assert.deepEqual(
            starts,
            alone(requests, host, policies[indexOf[host]]!),
            'other domains must not change the rate',
          )
        }
      },
    ),
  )
})

type Request = { host: string; wait: number }
type Policy = ReturnType<typeof hostPolicy.parse>

function startsOf(
  requests: Request[],
  policyFor: (host: string) => Policy,
  only?: string,
): Array<{ host: string; at: number }> {
  const table = new HostTable({ policyFor })
  let now = t0
  return requests.flatMap(({ host, wait }) => {
    now += wait
    if (only !== undefined && host !== only) return []
    const answer = table.reserve(host, now, now + 10 ** 9, {})
    assert.ok(answer.ok)
    return [{ host, at: answer.at }]
  })
}

const alone = (requests: Request[], host: string, policy: Policy) => startsOf(requests, () => policy, host)

test('Property 22: the rate of a job applies to all its domains together', () => {
  fc.assert(
    fc.property(
      bucketOptions,
      fc.integer({ min: 1, max: 10 }),
      fc.array(fc.nat({ max: 500 }), { maxLength: 60 }),
      (throttle, hostCount, waits) => {
        const { dispatcher } = unlimitedHosts()
        dispatcher.open({
          id: 'job',
          createdAt: t0,
          single: false,
          policy: executionPolicy.parse({ throttle }),
          remaining: () => 1,
          allowance: () => 1_000,
        })
        for (let n = 0; n < hostCount; n += 1) dispatcher.addWork('job', `h${n}`, 1_000)
        let now = t0
        const starts: number[] = []
        for (const wait of waits) {
          now += wait
          for (const claim of dispatcher.plan(now, 20).claims) {
            starts.push(...claim.starts)
            dispatcher.used(claim, claim.limit)
          }
        }
        assertWithinRate(starts, throttle)
      },
    ),
  )
})

function unlimitedHosts() {
  const policy = hostPolicy.parse({ rate: 'unlimited', concurrency: 1_000 })
  const hosts = new HostTable({ policyFor: () => policy })
  return { hosts, dispatcher: new Dispatcher({ hosts }) }
}
