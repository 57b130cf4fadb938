// Tests the export of raw pages while a job runs and when it ends.
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  MapBlobs,
  someAttempt,
  someJob,
  somePage,
  someTask,
  taskStore,
} from '../../../../test/support/results-parts.ts'
import type { Attempt } from '../../../model/task.ts'
import { rawTargetOf } from '../../../results/exports/export-raw.ts'
import { loadRawState } from '../../../results/exports/raw-state.ts'
import { segmentName } from '../../../results/keys.ts'
import { SegmentWriter } from '../../../results/segment-writer.ts'
import { RawFollower } from './follow-raw.ts'

test('while the last export of a job runs, no other export starts and replaces it', async () => {
  const job = { ...someJob('job-1', { results: { raw: 'parquet' } }), startedAt: 0 }
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName(job.id, 'run-1'))
  const pending = writer.add(somePage({ url: 'https://a.example/1', finalUrl: 'https://a.example/1' }))
  await writer.flush()
  const attempts = new Map<number, Attempt[]>([[1, [someAttempt({ raw: pending.ref })]]])
  const tasks = taskStore([someTask(1, { state: 'succeeded' })], attempts)
  const jobs = { counts: async () => ({ byState: ['succeeded'], pages: 1, bytes: 0 }) } as never
  const notices: unknown[] = []
  const follower = new RawFollower(
    {
      ...{ store: { tasks, jobs }, blobs, isShared: false, stopping: new AbortController().signal },
      emit: (_name, event) => notices.push(event),
    },
    job,
  )
  follower.follow(0)

  const finished = follower.finish()
  // The loop of the coordinator continues while the last pages are exported in the background.
  for (let turn = 1; turn < 20; turn++) {
    follower.follow(turn * 3_600_000)
    await new Promise(setImmediate)
  }
  await finished
  await follower[Symbol.asyncDispose]()

  assert.deepEqual(notices, [])
  const state = await loadRawState(rawTargetOf(blobs, job.id))
  assert.deepEqual([state?.rows, state?.completeFor !== null], [1, true])
})
