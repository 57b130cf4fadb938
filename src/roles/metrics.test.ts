// What is counted where, when several processes tell of the same task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Events } from '../model/events.ts'
import { ServiceMetrics } from './metrics.ts'

const figures = async () => ({ queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 })
const event: Events['task.settled'] = {
  ...{ jobId: 'job', n: 1, url: 'https://example.com/', state: 'succeeded', reason: 'ok', message: null },
  ...{ durationMs: 100, attempt: 1, proxy: null, records: [] },
}

test('a task is counted for Prometheus by the process that wrote it down, and by no other', async () => {
  const own = new ServiceMetrics(figures)
  const other = new ServiceMetrics(figures)
  own.hear('task.settled', event)
  other.heard(event)
  assert.match((await own.text()).body, /kscrape_tasks_total\{state="succeeded"\} 1/)
  assert.doesNotMatch((await other.text()).body, /kscrape_tasks_total\{state="succeeded"\}/)
})

test('whoever asks for JSON is told of all tasks that were heard of', async () => {
  const other = new ServiceMetrics(figures)
  other.heard(event)
  assert.equal((await other.json()).tasksCompleted, 1)
})
