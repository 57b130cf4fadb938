// Tests that a task in a lane uses the right slot of its host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import type { TimedTask } from '../../model/lane.ts'
import type { FetchRequest } from '../../model/page/page.ts'
import type { OpenJob } from './lane/open-job.ts'
import { runFetchTask } from './run-fetch-task.ts'
import type { TaskParts } from './task-report.ts'

const url = 'https://shop.example/'
const goodForMs = 100

test('if the cached response of a task was deleted and its slot has passed, the task requests a new slot', async () => {
  let now = 0
  const lapses: unknown[] = []
  const parts = {
    clock: { now: () => now, sleep: async () => {} },
    askPermit: async ({ lapsed }) => {
      lapses.push(lapsed)
      return now + goodForMs
    },
  } as TaskParts
  const wentOut: number[] = []
  // A fake fetch that behaves as if it first had to open a connection.
  const fetch = async ({ beforeFirst }: FetchRequest) => {
    for (let lapsed = 0; ; lapsed += 1) {
      const isGood = await beforeFirst!(lapsed)
      if (lapsed === 0) now += 2 * goodForMs
      if (isGood!()) break
    }
    wentOut.push(now)
    throw new Failure('connect.failed', 'one request is enough')
  }
  const job = {
    ...{ scraper: {}, browser: null, dedupes: true, keepsItems: false, follows: () => false },
    ...{ request: () => ({ url }), fetchFor: () => fetch },
  } as unknown as OpenJob
  const answer = { key: 'a', isFresh: true, known: { raw: null, records: [] } }
  const task = { jobId: 'job', n: 1, attempt: 1, url, host: 'shop.example', kind: 'page', answer }

  await runFetchTask(parts, job, task as unknown as TimedTask, new AbortController().signal)

  assert.deepEqual(lapses, [0, 1])
  assert.deepEqual(wentOut, [2 * goodForMs])
})
