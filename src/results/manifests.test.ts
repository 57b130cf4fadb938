// Tests the manifests of a job: lists of items in parts of a thousand, and a summary with matching counts.
import assert from 'node:assert/strict'
import test from 'node:test'
import { MapBlobs, someAttempt, someJob, someTask, taskStore } from '../../test/support/results-parts.ts'
import type { JobCounts } from '../model/job.ts'
import type { Attempt, Task } from '../model/task.ts'
import type { JobStore, TaskStore } from '../ports/store.ts'
import { writeManifests } from './manifests.ts'

const counts: JobCounts = {
  tasks: 0,
  records: 17,
  bytes: 99,
  byState: { pending: 0, queued: 0, in_progress: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 },
  byReason: { ok: 17 },
  pages: 0,
  exactlyParsed: 0,
  rendered: 0,
  browserMs: 0,
  llmTokens: 0,
  linksRefused: {},
  warnings: {},
}

function partsWith(tasks: Task[], attempts: Map<number, Attempt[]> = new Map(), blobs = new MapBlobs()) {
  const jobs = { counts: async () => counts } as unknown as JobStore
  return { store: { tasks: taskStore(tasks, attempts), jobs }, blobs }
}
const json = async (blobs: MapBlobs, key: string) =>
  JSON.parse((await blobs.get(`jobs/job-1/${key}`))!.toString())
const stateOf = (n: number): Partial<Task> =>
  n % 10 === 0 ? { state: 'failed', reason: 'http.not-found' } : n % 10 === 1 ? { state: 'skipped' } : {}

test('manifests list the items in parts of a thousand: all items, succeeded items and failed items', async () => {
  const tasks = Array.from({ length: 2_500 }, (_, index) => someTask(index + 1, stateOf(index + 1)))
  const parts = partsWith(tasks)
  const metadata = await writeManifests(parts, someJob())

  assert.deepEqual(metadata.parts, { full: 3, success: 2, errors: 1 })
  assert.deepEqual(metadata.items, { total: 2_500, success: 2_000, errors: 250 })
  assert.deepEqual(await json(parts.blobs, 'job_metadata.json'), metadata)
  const ids = new Set<string>()
  for (const part of [1, 2, 3]) {
    for (const item of await json(parts.blobs, `manifests/full/part-${part}.json`)) ids.add(item.task_id)
  }
  assert.equal(ids.size, 2_500)
  const [error] = await json(parts.blobs, 'manifests/errors/part-1.json')
  assert.deepEqual([error.item_id, error.reason], ['task-10', 'http.not-found'])
})

test('100,000 items are written in a hundred parts, a thousand at a time', async () => {
  const total = 100_000
  const asked: number[] = []
  const list: TaskStore['list'] = async (_, { states, after = 0, limit = 100 } = {}) => {
    asked.push(limit)
    const tasks: Task[] = []
    for (let n = after + 1; n <= total && tasks.length < limit; n += 1) {
      const task = someTask(n, stateOf(n))
      if (states?.includes(task.state) ?? true) tasks.push(task)
    }
    return tasks
  }
  const parts = partsWith([])
  parts.store.tasks = { ...parts.store.tasks, list }
  const metadata = await writeManifests(parts, someJob())
  assert.deepEqual(metadata.items, { total, success: 80_000, errors: 10_000 })
  assert.deepEqual(metadata.parts, { full: 100, success: 80, errors: 10 })
  assert.equal((await json(parts.blobs, 'manifests/full/part-100.json')).length, 1_000)
  assert.ok(Math.max(...asked) <= 1_000)
})

test('the duration of an item runs from its first attempt to its last, and the item names its raw page', async () => {
  const raw = { key: 'jobs/job-1/segments/r-00001.warc.gz', offset: 5, length: 9 }
  const attempts = new Map([
    [
      1,
      [
        someAttempt({ startedAt: 10_000, endedAt: 11_000, raw: null }),
        someAttempt({ startedAt: 60_000, endedAt: 62_500, raw }),
      ],
    ],
    [2, [someAttempt({ startedAt: 12_000, endedAt: 13_000 })]],
  ])
  const parts = partsWith([someTask(1), someTask(2), someTask(3, { state: 'cancelled' })], attempts)
  const metadata = await writeManifests(parts, someJob())
  const [first, , third] = await json(parts.blobs, 'manifests/full/part-1.json')

  assert.equal(metadata.duration_seconds, 52.5)
  assert.deepEqual(first.raw, raw)
  assert.equal(first.attempts, 2)
  assert.equal(third.first_attempt_at, null)
})

test('after a retry with fewer errors, no outdated part of the manifest is left', async () => {
  const blobs = new MapBlobs()
  const failed = Array.from({ length: 1_500 }, (_, index) => someTask(index + 1, { state: 'failed' }))
  await writeManifests(partsWith(failed, new Map(), blobs), someJob())
  await writeManifests(
    partsWith(
      failed.map(task => ({ ...task, state: 'succeeded' })),
      new Map(),
      blobs,
    ),
    someJob(),
  )

  const keys = [...blobs.objects.keys()].filter(key => /errors|success/.test(key))
  assert.deepEqual(keys.sort(), [
    'jobs/job-1/manifests/success/part-1.json',
    'jobs/job-1/manifests/success/part-2.json',
  ])
})

test('sitemaps are not items, and an empty job has a summary', async () => {
  const parts = partsWith([someTask(1, { kind: 'sitemap' })])
  const metadata = await writeManifests(parts, someJob())
  assert.deepEqual(metadata.parts, { full: 0, success: 0, errors: 0 })
  assert.equal(metadata.duration_seconds, null)
})
