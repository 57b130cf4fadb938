// Tests which job starts the next task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobLane } from './job-lane.ts'
import { JobOrder } from './job-order.ts'

interface LaneOptions {
  size: number
  createdAt?: number
  single?: boolean
  allowance?: number
  waitingSince?: number | null
}

function laneOf(
  name: string,
  { size, createdAt = 0, single = false, allowance = 1_000, waitingSince = null }: LaneOptions,
) {
  const job = { id: name, createdAt, single, remaining: () => size }
  return { job, allowance: () => allowance, waitingSince } as unknown as JobLane
}

const always = () => true

/** The names of the jobs in the order in which their tasks start. */
function served(
  order: JobOrder,
  lanes: JobLane[],
  capacity: number,
  now = 0,
  canStart: (lane: JobLane) => boolean = always,
) {
  const names: string[] = []
  order.serve(lanes, now, capacity, lane => {
    if (!canStart(lane)) return false
    names.push((lane.job as { id: string }).id)
    return true
  })
  return names
}

const countOf = (names: string[], name: string): number => names.filter(one => one === name).length

test('jobs with a single task run before all others, the oldest first', () => {
  const lanes = [
    laneOf('small', { size: 1 }),
    laneOf('young', { size: 9, single: true, createdAt: 2, allowance: 1 }),
    laneOf('old', { size: 9, single: true, createdAt: 1, allowance: 1 }),
  ]
  assert.deepEqual(served(new JobOrder(), lanes, 3), ['old', 'young', 'small'])
})

test('the smaller job runs first, and the job that has waited longest gets a fifth of the slots', () => {
  const lanes = [
    laneOf('small', { size: 10 }),
    laneOf('middle', { size: 20, waitingSince: 50 }),
    laneOf('large', { size: 30, waitingSince: 10 }),
  ]
  const names = served(new JobOrder(), lanes, 100, 100)
  assert.equal(countOf(names, 'large'), 20)
  assert.equal(countOf(names, 'small'), 80)
})

test('if two jobs have waited equally long, the smaller one gets the fifth of the slots', () => {
  const lanes = [
    laneOf('small', { size: 10 }),
    laneOf('middle', { size: 20, waitingSince: 10 }),
    laneOf('large', { size: 30, waitingSince: 10 }),
  ]
  const names = served(new JobOrder(), lanes, 100, 100)
  assert.deepEqual([countOf(names, 'middle'), countOf(names, 'large')], [20, 0])
})

test('a job without a slot starts to wait, and a job that gets a slot stops waiting', () => {
  const [small, large] = [laneOf('small', { size: 10 }), laneOf('large', { size: 20 })]
  const order = new JobOrder()
  served(order, [small, large], 1, 100)
  assert.deepEqual([small.waitingSince, large.waitingSince], [null, 100])
  served(order, [small, large], 1, 200)
  assert.equal(large.waitingSince, 100, 'the wait starts when the job is passed over first')
  served(order, [large], 1, 300)
  assert.equal(large.waitingSince, null)
})

test('a job that may start no task is neither served nor counted as waiting', () => {
  const spent = laneOf('spent', { size: 1, allowance: 0 })
  assert.deepEqual(served(new JobOrder(), [spent, laneOf('other', { size: 2, allowance: 2 })], 10, 100), [
    'other',
    'other',
  ])
  assert.equal(spent.waitingSince, null)
})

test('a job that cannot start leaves its slots to the next jobs', () => {
  const lanes = [
    laneOf('stuck', { size: 1 }),
    laneOf('next', { size: 2, allowance: 3 }),
    laneOf('last', { size: 3 }),
  ]
  const names = served(new JobOrder(), lanes, 5, 100, lane => (lane.job as { id: string }).id !== 'stuck')
  assert.equal(countOf(names, 'next') + countOf(names, 'last'), 5)
  assert.equal(countOf(names, 'stuck'), 0)
})

test('no more tasks start than the concurrency allows, single tasks included', () => {
  assert.equal(served(new JobOrder(), [laneOf('single', { size: 9, single: true })], 2).length, 2)
  assert.equal(served(new JobOrder(), [laneOf('job', { size: 9 })], 2).length, 2)
})
