// Tests how tasks are found by text, page by page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someAttempt, someTask, taskStore } from '../../../../test/support/results-parts.ts'
import { findItems } from './find-items.ts'

const list = [
  someTask(1, { url: 'https://a.example/Tea' }),
  someTask(2, { state: 'failed', reason: 'http.not-found', message: 'HTTP 404 for tea' }),
  someTask(3, { itemId: 'TEA-3' }),
  someTask(4),
]
const attempts = new Map([
  [3, [someAttempt({ outcome: 'connection.lost' }), someAttempt({ attempt: 2 })]],
  [4, [someAttempt()]],
])
const tasks = taskStore(list, attempts)
const find = async (filter: object, after = 0, limit = 10) => {
  const { found, next } = await findItems(tasks, 'job-1', filter, { after, limit })
  return { found: found.map(({ n }) => n), next }
}

test('a text search finds tasks by URL, item and message, in any letter case', async () => {
  assert.deepEqual(await find({ text: 'tea' }), { found: [1, 2, 3], next: null })
  assert.deepEqual(await find({ text: 'nothing' }), { found: [], next: null })
})

test('state, reason and text must all match', async () => {
  assert.deepEqual((await find({ text: 'tea', reason: 'http.not-found' })).found, [2])
  assert.deepEqual((await find({ status: 'failed' })).found, [2])
  assert.deepEqual((await find({ status: 'succeeded', reason: 'http.not-found' })).found, [])
})

test('a task is found by the outcome of an earlier attempt', async () => {
  assert.deepEqual(await find({ attempt: 'connection.lost' }), { found: [3], next: null })
  assert.deepEqual((await find({ attempt: 'ok' })).found, [3, 4])
  assert.deepEqual((await find({ attempt: 'connection.lost', text: 'nothing' })).found, [])
})

test('a full page has a cursor that continues after its last task', async () => {
  const first = await find({ text: 'tea' }, 0, 2)
  assert.deepEqual(first, { found: [1, 2], next: 2 })
  assert.deepEqual(await find({ text: 'tea' }, first.next!, 2), { found: [3], next: null })
})

test('one request reads a bounded number of tasks, and says where to continue', async () => {
  let asked = 0
  const endless = {
    list: async (_job: string, { after = 0, limit = 0 } = {}) => {
      asked += 1
      return Array.from({ length: limit }, (_, index) => someTask(after + index + 1))
    },
  }
  const { found, next } = await findItems(
    endless as never,
    'job-1',
    { text: 'nothing' },
    { after: 0, limit: 5 },
  )
  assert.deepEqual([found, next], [[], asked * 1_000])
  assert.ok(asked <= 20)
})
