// Tests the dispatcher: which job gets the next slot, and why other jobs wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executionPolicy, type HostPolicyInput, hostPolicy } from '../model/policy/policy.ts'
import { Dispatcher, type DispatchJob, type Plan } from './dispatcher.ts'
import { HostTable } from './host-table.ts'

const t0 = Date.UTC(2026, 0, 1)
const unlimited: HostPolicyInput = { rate: 'unlimited', concurrency: 1_000 }

function open(policy: HostPolicyInput = {}) {
  const known = hostPolicy.parse(policy)
  const hosts = new HostTable({ policyFor: () => known })
  return { hosts, dispatcher: new Dispatcher({ hosts, lookAheadMs: 0 }) }
}

const job = (id: string, remaining: number, more: Partial<DispatchJob> = {}): DispatchJob => ({
  id,
  createdAt: t0,
  single: false,
  policy: executionPolicy.parse({}),
  remaining: () => remaining,
  allowance: () => 1_000,
  ...more,
})

const planned = (plan: Plan) =>
  Object.fromEntries(plan.claims.map(claim => [`${claim.jobId} ${claim.host}`, claim.limit]))

/** Claims every planned task and finishes it at once. */
function run(dispatcher: Dispatcher, hosts: HostTable, plan: Plan, now: number): void {
  for (const claim of plan.claims) {
    dispatcher.used(claim, claim.limit)
    for (const startedAt of claim.starts) hosts.finished(claim.host, { startedAt, endedAt: now }, now)
  }
}

test('the plan gives each host its slot, and says when to plan again', () => {
  const { dispatcher, hosts } = open()
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  dispatcher.addWork('j', 'b', 1)
  const plan = dispatcher.plan(t0, 100)
  assert.deepEqual(planned(plan), { 'j a': 1, 'j b': 1 })
  assert.deepEqual(plan.claims[0], {
    jobId: 'j',
    host: 'a',
    limit: 1,
    starts: [t0],
    gapMs: 1_000,
    paceMs: 1_000,
  })
  run(dispatcher, hosts, plan, t0)
  assert.equal(plan.nextAt, t0 + 1_000)
  assert.deepEqual(dispatcher.plan(t0 + 999, 100).claims, [])
  assert.deepEqual(planned(dispatcher.plan(t0 + 1_000, 100)), { 'j a': 1 })
})

test('a plan reserves slots in advance, one delay apart', () => {
  const hosts = new HostTable({ policyFor: () => hostPolicy.parse({ rate: 20, concurrency: 10 }) })
  const dispatcher = new Dispatcher({ hosts, lookAheadMs: 100 })
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 10)
  const plan = dispatcher.plan(t0, 100)
  assert.deepEqual(plan.claims[0]?.starts, [t0, t0 + 50, t0 + 100])
  assert.equal(plan.nextAt, t0 + 100)
})

test('a plan starts only as many tasks as the concurrency allows, and hosts alternate', () => {
  const { dispatcher, hosts } = open(unlimited)
  dispatcher.open(job('j', 100))
  for (const host of ['a', 'b', 'c', 'd']) dispatcher.addWork('j', host, 100)
  const first = dispatcher.plan(t0, 6)
  assert.deepEqual(planned(first), { 'j a': 2, 'j b': 2, 'j c': 1, 'j d': 1 })
  assert.equal(first.nextAt, null)
  run(dispatcher, hosts, first, t0)
  assert.deepEqual(planned(dispatcher.plan(t0, 6)), { 'j a': 1, 'j b': 1, 'j c': 2, 'j d': 2 })
})

test('a job starts no more tasks than its own limit', () => {
  const { dispatcher } = open(unlimited)
  let allowed = 3
  dispatcher.open(job('j', 100, { allowance: () => allowed }))
  dispatcher.addWork('j', 'a', 100)
  const plan = dispatcher.plan(t0, 50)
  assert.deepEqual(planned(plan), { 'j a': 3 })
  assert.deepEqual(dispatcher.plan(t0, 50).claims, [], 'planned tasks count until the claim is settled')
  allowed = 0
  dispatcher.used(plan.claims[0]!, 3)
  assert.deepEqual(dispatcher.waiting(t0), [
    { reason: 'job-limit', hosts: 1, tasks: 97, nextAt: null, exampleHost: 'a' },
  ])
})

test('if a claim finds fewer tasks than planned, unused slots return and the host waits for work', () => {
  const { dispatcher, hosts } = open({ rate: 1, concurrency: 2 })
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  dispatcher.used(dispatcher.plan(t0, 10).claims[0]!, 0)
  assert.equal(hosts.view('a', t0)?.inFlight, 0)
  assert.deepEqual(dispatcher.plan(t0 + 5_000, 10), { claims: [], nextAt: null })
  dispatcher.addWork('j', 'a', 1)
  assert.deepEqual(planned(dispatcher.plan(t0 + 5_000, 10)), { 'j a': 1 })
})

test('if work arrives during a claim, the work is not lost', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  const [claim] = dispatcher.plan(t0, 5).claims
  dispatcher.addWork('j', 'a', 2)
  dispatcher.used(claim!, 4)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j a': 2 })
})

test('a failed claim leaves the plan unchanged', () => {
  const { dispatcher } = open()
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 1)
  dispatcher.abandon(dispatcher.plan(t0, 10).claims[0]!)
  assert.equal(dispatcher.workOf('j'), 1)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j a': 1 })
})

test('when a response arrives, its host can start the next task', () => {
  const { dispatcher, hosts } = open({ rate: 'unlimited' })
  for (const id of ['j', 'k']) {
    dispatcher.open(job(id, 10))
    dispatcher.addWork(id, 'a', 1)
  }
  const [first] = dispatcher.plan(t0, 10).claims
  dispatcher.used(first!, 1)
  assert.deepEqual(dispatcher.plan(t0 + 60_000, 10), { claims: [], nextAt: null })
  assert.equal(dispatcher.waiting(t0)[0]?.reason, 'in-flight')
  hosts.finished('a', { startedAt: t0, endedAt: t0 }, t0)
  assert.equal(dispatcher.plan(t0, 10).claims.length, 1)
})

test('a job with a single task runs before all other jobs', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('small', 1))
  dispatcher.open(job('one', 1, { single: true, createdAt: t0 + 5 }))
  for (const id of ['small', 'one']) dispatcher.addWork(id, 'a', 1)
  assert.deepEqual(planned(dispatcher.plan(t0, 1)), { 'one a': 1 })
})

test('four of five slots go to the smaller job, and the fifth slot to the job that has waited longest', () => {
  const { dispatcher, hosts } = open(unlimited)
  dispatcher.open(job('large', 1_000_000))
  dispatcher.open(job('small', 100))
  for (const id of ['large', 'small']) dispatcher.addWork(id, id, 1_000)
  assert.deepEqual(planned(dispatcher.plan(t0, 100)), { 'small small': 80, 'large large': 20 })
  const served = { large: 0, small: 0 }
  for (let n = 1; n <= 100; n += 1) {
    const plan = dispatcher.plan(t0 + n, 1)
    served[plan.claims[0]!.jobId as 'large' | 'small'] += 1
    run(dispatcher, hosts, plan, t0 + n)
  }
  assert.deepEqual(served, { large: 20, small: 80 })
})

test('a small job that keeps growing does not starve a large one, even on one slow host', () => {
  const { dispatcher, hosts } = open()
  for (const [id, size] of [
    ['large', 1_000],
    ['small', 5],
  ] as const) {
    dispatcher.open(job(id, size))
    dispatcher.addWork(id, 'a', 1_000)
  }
  const served = { large: 0, small: 0 }
  for (let second = 0; second < 100; second += 1) {
    const plan = dispatcher.plan(t0 + second * 1_000, 50)
    served[plan.claims[0]!.jobId as 'large' | 'small'] += 1
    run(dispatcher, hosts, plan, t0 + second * 1_000)
  }
  assert.deepEqual(served, { large: 20, small: 80 })
})

test('slots that the smaller job cannot use go to the larger one', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('large', 1_000))
  dispatcher.open(job('small', 10, { allowance: () => 4 }))
  for (const id of ['large', 'small']) dispatcher.addWork(id, id, 100)
  assert.deepEqual(planned(dispatcher.plan(t0, 20)), { 'small small': 4, 'large large': 16 })
})

test('a job’s own rate applies to all its hosts together', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10, { policy: executionPolicy.parse({ throttle: { rate: 2, burst: 2 } }) }))
  for (const host of ['a', 'b', 'c', 'd']) dispatcher.addWork('j', host, 1)
  const plan = dispatcher.plan(t0, 10)
  assert.equal(plan.claims.length, 2)
  assert.equal(plan.nextAt, t0 + 500)
  assert.equal(dispatcher.waiting(t0)[0]?.reason, 'job-rate')
  assert.equal(dispatcher.plan(t0 + 500, 10).claims.length, 1)
})

test('an unused slot does not count against the job’s own rate', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10, { policy: executionPolicy.parse({ throttle: { rate: 1 } }) }))
  for (const host of ['a', 'b']) dispatcher.addWork('j', host, 1)
  dispatcher.used(dispatcher.plan(t0, 10).claims[0]!, 0)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j b': 1 })
})

test('a host that gets one new task at a time does not delay other hosts', () => {
  const { dispatcher, hosts } = open(unlimited)
  dispatcher.open(job('j', 1_000))
  dispatcher.addWork('j', 'steady', 100)
  const served = { steady: 0, drops: 0 }
  for (let n = 0; n < 20; n += 1) {
    dispatcher.addWork('j', 'drops', 1)
    const plan = dispatcher.plan(t0 + n, 1)
    served[plan.claims[0]!.host as 'steady' | 'drops'] += 1
    run(dispatcher, hosts, plan, t0 + n)
  }
  assert.deepEqual(served, { steady: 10, drops: 10 })
})

test('a suspended job plans nothing until its time, or until it is resumed', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 1)
  dispatcher.suspend('j', t0 + 5_000)
  assert.deepEqual(dispatcher.plan(t0, 10), { claims: [], nextAt: t0 + 5_000 })
  dispatcher.suspend('j', null)
  assert.deepEqual(dispatcher.plan(t0 + 9_000, 10), { claims: [], nextAt: null })
  assert.deepEqual(dispatcher.waiting(t0), [
    { reason: 'job-paused', hosts: 1, tasks: 1, nextAt: null, exampleHost: 'a' },
  ])
  dispatcher.unsuspend('j')
  assert.equal(dispatcher.plan(t0 + 9_000, 10).claims.length, 1)
})

test('a closed job is dropped, including its late claims', () => {
  const { dispatcher, hosts } = open({ ...unlimited, concurrency: 1 })
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  const [claim] = dispatcher.plan(t0, 10).claims
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  dispatcher.used(claim!, 0)
  assert.equal(dispatcher.workOf('j'), 5)
  assert.equal(hosts.view('a', t0)?.inFlight, 0)
  assert.equal(dispatcher.plan(t0, 10).claims.length, 1)
  dispatcher.close('j', t0)
  dispatcher.addWork('j', 'a', 5)
  assert.deepEqual(dispatcher.plan(t0, 10), { claims: [], nextAt: null })
})

/** A job that requests each host once in 1,000 s. */
const slow = (id: string) => job(id, 10, { policy: executionPolicy.parse({ host: { rate: 0.001 } }) })
const fast = (id: string) => job(id, 10, { policy: executionPolicy.parse({ host: { rate: 5 } }) })

for (const { when, tasks } of [
  { when: 'was cancelled', tasks: 5 },
  { when: 'has completed its only task at the host', tasks: 1 },
])
  test(`the low rate of a job that ${when} no longer slows other jobs`, () => {
    const { dispatcher, hosts } = open()
    dispatcher.open(slow('slow'))
    dispatcher.addWork('slow', 'a', tasks)
    run(dispatcher, hosts, dispatcher.plan(t0, 10), t0)
    dispatcher.open(fast('waits'))
    dispatcher.addWork('waits', 'a', 1)
    assert.deepEqual(dispatcher.plan(t0 + 500, 10).claims, [], 'both jobs run')
    dispatcher.close('slow', t0 + 500)
    const { nextAt } = dispatcher.plan(t0 + 500, 10)
    assert.equal(nextAt, t0 + 1_000, 'the rate of the host itself is one request per second')
    dispatcher.open(fast('later'))
    dispatcher.addWork('later', 'a', 1)
    const starts = [1_000, 1_200].map(ms => {
      const plan = dispatcher.plan(t0 + ms, 10)
      run(dispatcher, hosts, plan, t0 + ms)
      return plan.claims.flatMap(claim => claim.starts)
    })
    assert.deepEqual(starts, [[t0 + 1_000], [t0 + 1_200]])
  })

test('after a strict job has ended, the terms of another strict job at the host still apply', () => {
  const { dispatcher, hosts } = open()
  for (const id of ['slow', 'also-slow']) {
    dispatcher.open(slow(id))
    dispatcher.addWork(id, 'a', 5)
  }
  run(dispatcher, hosts, dispatcher.plan(t0, 10), t0)
  dispatcher.open(fast('waits'))
  dispatcher.addWork('waits', 'a', 1)
  dispatcher.close('slow', t0 + 500)
  const { claims, nextAt } = dispatcher.plan(t0 + 500, 10)
  assert.deepEqual([claims, nextAt], [[], t0 + 1_000_000])
})

test('the summary counts waiting hosts and tasks by reason, most tasks first', () => {
  const { dispatcher, hosts } = open()
  dispatcher.open(job('j', 100))
  for (const [host, count] of [
    ['a', 5],
    ['b', 7],
    ['c', 30],
  ] as const)
    dispatcher.addWork('j', host, count)
  hosts.setRobotsPending('c', true)
  run(dispatcher, hosts, dispatcher.plan(t0, 10), t0)
  assert.deepEqual(dispatcher.waiting(t0, 'j'), [
    { reason: 'robots', hosts: 1, tasks: 30, nextAt: null, exampleHost: 'c' },
    { reason: 'rate', hosts: 2, tasks: 10, nextAt: t0 + 1_000, exampleHost: 'a' },
  ])
})

test('waiting tasks of all jobs are counted by reason, and tasks that could run at once are counted too', () => {
  const { dispatcher, hosts } = open()
  for (const id of ['j', 'k', 'paused']) dispatcher.open(job(id, 100))
  dispatcher.addWork('j', 'a', 5)
  run(dispatcher, hosts, dispatcher.plan(t0, 10), t0)
  dispatcher.addWork('k', 'a', 2)
  dispatcher.addWork('k', 'free', 7)
  dispatcher.addWork('paused', 'free', 9)
  dispatcher.suspend('paused', null)
  const { due, waiting } = dispatcher.workCounts(t0)
  assert.equal(due, 7)
  const some = Object.fromEntries(Object.entries(waiting).filter(([, tasks]) => tasks > 0))
  assert.deepEqual(some, { rate: 6, 'job-paused': 9 })
})

test('if work arrives during two claims, the work is not lost', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  const [first] = dispatcher.plan(t0, 5).claims
  dispatcher.addWork('j', 'a', 2)
  const [second] = dispatcher.plan(t0, 1).claims
  dispatcher.used(first!, 4)
  dispatcher.used(second!, 1)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j a': 2 })
})

test('a host whose tasks were dropped has no work until more is added', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  dispatcher.addWork('j', 'b', 1)
  assert.deepEqual([dispatcher.hostsOf('j'), dispatcher.hostNamesOf('j')], [2, ['a', 'b']])
  dispatcher.dropWork('j', 'a')
  dispatcher.dropWork('j', 'unknown.example')
  dispatcher.dropWork('unknown', 'a')
  assert.deepEqual([dispatcher.hostsOf('j'), dispatcher.hostNamesOf('j')], [1, ['b']])
  assert.equal(dispatcher.workOf('j'), 1)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j b': 1 })
  dispatcher.addWork('j', 'a', 3)
  assert.deepEqual(planned(dispatcher.plan(t0, 10)), { 'j a': 3 })
})

test('work that is dropped during a claim does not return after the claim', () => {
  const { dispatcher } = open(unlimited)
  dispatcher.open(job('j', 10))
  dispatcher.addWork('j', 'a', 5)
  const [claim] = dispatcher.plan(t0, 2).claims
  dispatcher.addWork('j', 'a', 2)
  dispatcher.dropWork('j', 'a')
  dispatcher.used(claim!, 0)
  assert.deepEqual([dispatcher.workOf('j'), dispatcher.hostsOf('j')], [0, 0])
})

test('a job that is not open has no hosts', () => {
  const { dispatcher } = open()
  assert.deepEqual([dispatcher.hostsOf('j'), dispatcher.hostNamesOf('j')], [0, []])
})
