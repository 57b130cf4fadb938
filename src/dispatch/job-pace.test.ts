// Tests the highest rate of a job, and how long its known work takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executionPolicy, hostPolicy, type PolicyInput } from '../model/policy/policy.ts'
import { Dispatcher } from './dispatcher.ts'
import { HostTable } from './host-table.ts'

function open(policy: PolicyInput = {}) {
  const known = hostPolicy.parse({})
  const hosts = new HostTable({ policyFor: () => known })
  const dispatcher = new Dispatcher({ hosts })
  dispatcher.open({
    ...{ id: 'job', createdAt: 0, single: false },
    policy: executionPolicy.parse(policy),
    remaining: () => 1,
    allowance: () => 10,
  })
  return { hosts, dispatcher }
}

test('two hundred thousand pages of one host at the polite default take more than two days', () => {
  const { dispatcher } = open()
  dispatcher.addWork('job', 'a.example', 200_000)
  dispatcher.addWork('job', 'b.example', 10)
  assert.deepEqual(dispatcher.paceOf('job', 0), {
    ...{ perSecond: 2, reason: 'default', host: 'a.example', pages: 200_000, leftMs: 200_000_000 },
  })
})

test('the pace of a job says what limits the rate: the job’s own rate, a crawl delay or a 429', () => {
  const { dispatcher, hosts } = open({ host: { rate: 5 } })
  dispatcher.addWork('job', 'a.example', 10)
  assert.deepEqual(dispatcher.paceOf('job', 0), {
    perSecond: 5,
    reason: 'job',
    host: 'a.example',
    pages: 10,
    leftMs: 2_000,
  })
  hosts.setCrawlDelay('a.example', 4_000)
  assert.equal(dispatcher.paceOf('job', 0)?.reason, 'crawl-delay')
  hosts.extraEnded('a.example', { startedAt: 0, endedAt: 0, failure: 'host.throttled' }, 0)
  assert.equal(dispatcher.paceOf('job', 0)?.reason, 'slowdown')
})

test('a job without limits, or without work, has no rate to report', () => {
  const { dispatcher } = open({ host: { rate: 'unlimited' } })
  assert.equal(dispatcher.paceOf('job', 0), null)
  dispatcher.addWork('job', 'a.example', 10)
  assert.deepEqual(dispatcher.paceOf('job', 0), {
    perSecond: null,
    reason: 'unlimited',
    host: 'a.example',
    pages: 10,
    leftMs: 0,
  })
})
