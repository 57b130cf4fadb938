// Tests the ids of scrapes: UUIDs from which the job and the number of the task can be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newScrapeJobId, scrapeTaskId, taskOf } from './scrape-ids.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a task has its own UUID, from which its job can be found', () => {
  const jobId = newScrapeJobId()
  const ids = Array.from({ length: 100 }, (_, index) => scrapeTaskId(jobId, index + 1))
  assert.equal(new Set([jobId, ...ids]).size, 101)
  ids.forEach((id, index) => {
    assert.match(id, uuid)
    assert.deepEqual(taskOf(id), { jobId, n: index + 1 })
  })
})

test('tasks with a number above 255 are named by job and number', () => {
  const jobId = newScrapeJobId()
  for (const n of [255, 256, 70_000]) assert.deepEqual(taskOf(scrapeTaskId(jobId, n)), { jobId, n })
})

test('the id of a job and an invalid id are not task ids', () => {
  for (const text of [newScrapeJobId(), '', 'jobs', '..', 'x.0', 'x.-1', '%00'])
    assert.equal(taskOf(text), null)
})
