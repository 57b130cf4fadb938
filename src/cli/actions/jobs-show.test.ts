// Tests how a task is printed as a line of a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { taskId } from '../../model/ids.ts'
import type { ListedTask } from '../jobs/job-reader.ts'
import { taskFacts, taskLine } from './jobs-show.ts'

const task: ListedTask = {
  ...{ jobId: 'job-1', n: 4, itemId: 'tea', kind: 'page', url: 'https://a.example/', depth: 1 },
  ...{ state: 'failed', reason: 'http.not-found', message: 'HTTP 404', attempt: 2, input: null },
}

test('a line of the task list has the id of the task, its state, its reason and its page', () => {
  assert.equal(taskLine(task), `${taskId('job-1', 4)}  failed  http.not-found  https://a.example/  HTTP 404`)
  const open = taskLine({ ...task, state: 'pending', reason: null, message: null })
  assert.equal(open, `${taskId('job-1', 4)}  pending  -  https://a.example/`)
})

test('a task without a page shows its input row, without control characters', () => {
  const line = taskLine({ ...task, url: '', input: '{"q":"\u001b[2J"}' })
  assert.match(line, /"q"/)
  assert.ok(!line.includes('\u001b'))
})

test('the JSON output of tasks uses the names of the API', () => {
  assert.deepEqual(taskFacts(task), {
    ...{ task_id: taskId('job-1', 4), item_id: 'tea', kind: 'page', url: 'https://a.example/', depth: 1 },
    ...{ state: 'failed', reason: 'http.not-found', message: 'HTTP 404', attempts: 2 },
  })
})
