// Tests how the stored attempts of a task show where its time was spent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAttempt } from '../../../test/contracts/store/fixtures.ts'
import type { Job } from '../../model/job.ts'
import type { Task } from '../../model/task.ts'
import { knownSince, timesOf } from './attempt-times.ts'

const job = { createdAt: 1_000 } as Job
const parents = [newAttempt(1, { endedAt: 2_000, readMs: 5, storeMs: 45 })]
const tasks = { attempts: async () => parents }

test('the wait of a task starts when its job is created, or when the page with its link is committed', async () => {
  assert.equal(await knownSince(tasks, job, { jobId: 'j', parent: null } as Task), 1_000)
  assert.equal(await knownSince(tasks, job, { jobId: 'j', parent: 7 } as Task), 2_050)
})

test('the wait of an attempt starts when the previous attempt is committed; parse and store times start at its response', () => {
  const first = newAttempt(1, { startedAt: 1_500, endedAt: 1_900, readMs: null, storeMs: 20 })
  const second = newAttempt(2, { startedAt: 4_000, endedAt: 4_100, readMs: 3, storeMs: 30 })
  assert.deepEqual(timesOf([first, second], 1_000), [
    { queuedAt: 1_000, startedAt: 1_500, endedAt: 1_900, readAt: null, storedAt: 1_920 },
    { queuedAt: 1_920, startedAt: 4_000, endedAt: 4_100, readAt: 4_103, storedAt: 4_133 },
  ])
})

test('no time is negative, even if an attempt has no stored times or clocks differ', () => {
  const old = newAttempt(1, { startedAt: 900, endedAt: 950, readMs: null, storeMs: null })
  assert.deepEqual(timesOf([old], 1_000), [
    { queuedAt: 900, startedAt: 900, endedAt: 950, readAt: null, storedAt: null },
  ])
})
