// Tests the shares of lanes in the limits of a job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LaneJob } from '../../model/lane.ts'
import { inForce } from '../../pipeline/submit/policy-in-force.ts'
import { parseJobSpec } from '../../pipeline/submit/submit-job.ts'
import { forOneOf, limitOf } from './lane-share.ts'

const jobAt = (rate: number | 'unlimited'): LaneJob => ({
  ...{ id: 'job', kind: 'list', workspace: 'default', userAgent: '', cookies: null },
  ...{ slots: 32, inFlight: 33 },
  spec: inForce(parseJobSpec({ urls: ['https://shop.example/'], policy: { host: { rate } } })),
})

test('without a rate, each lane gets an equal share of slots and requests', () => {
  assert.deepEqual(limitOf(jobAt('unlimited'), 2), { id: 'job', slots: 16, inFlight: 16 })
  assert.deepEqual(limitOf(jobAt('unlimited'), 100), { id: 'job', slots: 1, inFlight: 1 })
})

test('with a rate, each lane may use all slots, because the host table limits the requests', () => {
  assert.deepEqual(limitOf(jobAt(1), 2), { id: 'job', slots: 32, inFlight: 16 })
})

test('a single lane gets the whole job', () => {
  const job = jobAt('unlimited')
  assert.deepEqual(forOneOf(job, 1), job)
})
