// Tests the short summary of the main metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Events } from '../../model/events.ts'
import { Summary } from './summary.ts'

const settled = (url: string, state = 'succeeded', durationMs = 1_000) =>
  ({ url, state, durationMs }) as Events['task.settled']

test('before the first task ends, the summary has no averages', () => {
  const summary = new Summary()
  const { avgTaskDuration, avgJobDuration, queueDepth, activeBrowsers } = summary.json({})
  assert.deepEqual([avgTaskDuration, avgJobDuration, queueDepth, activeBrowsers], [null, null, null, 0])
})

test('every attempt counts for the average, successes and failures are counted separately', () => {
  const summary = new Summary()
  summary.settled(settled('https://a.example/', 'succeeded', 1_000))
  summary.settled(settled('https://a.example/', 'failed', 2_000))
  summary.settled(settled('https://a.example/', 'pending', 3_001))
  const { tasksCompleted, tasksFailed, avgTaskDuration } = summary.json({})
  assert.deepEqual([tasksCompleted, tasksFailed, avgTaskDuration], [1, 1, 2])
})

test('a job with an unknown duration does not count in the average', () => {
  const summary = new Summary()
  summary.ended(null)
  summary.ended(4_000)
  assert.equal(summary.json({}).avgJobDuration, 4)
})

test('requests are counted by domain, most frequent first, and tasks without a URL are left out', () => {
  const summary = new Summary()
  for (const url of ['https://a.example/1', 'https://b.example/1', 'https://b.example/2', ''])
    summary.settled(settled(url))
  assert.deepEqual(Object.entries(summary.json({}).requestsPerDomain as object), [
    ['b.example', 2],
    ['a.example', 1],
  ])
})

test('the summary lists a limited number of domains, including the most recent ones', () => {
  const summary = new Summary()
  for (let n = 0; n < 10_000; n++) summary.settled(settled(`https://h${n}.example/`))
  const told = Object.keys(summary.json({}).requestsPerDomain as object)
  assert.ok(told.length <= 2_000, String(told.length))
  assert.ok(told.includes('h9999.example'))
})
