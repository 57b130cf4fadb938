// Tests which data retention deletes and which stays, by the operator's rules and by the settings of a job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MapBlobs } from '../../test/support/results-parts.ts'
import { openTemporaryStore } from '../../test/support/temporary-store.ts'
import { FakeClock } from '../lib/clocks.ts'
import { jobSpec } from '../model/job.ts'
import type { JobRetention } from '../model/policy/retention.ts'
import type { Store } from '../ports/store.ts'
import { applyRetention, type JobFiles, type RetentionRules } from './apply-retention.ts'

const day = 86_400_000
/** All objects of `MapBlobs` have the age of the Unix epoch, so they count as very old. */
const now = 100 * day

const forEver: RetentionRules = {
  ...{ rawMs: 0, rawMaxBytes: 0, artifactsMs: 0, recordsMs: 0, exportsMs: 0 },
  ...{ webhooksMs: 0, uploadsMs: 0, answersMs: 0, jobsMs: 0 },
}

class Files implements JobFiles {
  readonly removed: string[] = []
  of: string[] = []
  async *list() {
    for (const jobId of this.of) yield { jobId, bytes: 5, modifiedAt: 0 }
  }
  async remove(jobId: string) {
    this.removed.push(jobId)
  }
  async dropLeftovers() {
    return { removed: 0, bytes: 0 }
  }
}

interface Made {
  retention?: JobRetention
  isRunning?: boolean
  scheduleId?: string
}

async function make(
  store: Store,
  id: string,
  { retention, isRunning, scheduleId }: Made = {},
): Promise<void> {
  const spec = jobSpec.parse({ urls: ['https://shop.example/'], ...(retention && { retention }) })
  const ingest = { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 }
  const origin = scheduleId === undefined ? {} : { origin: { scheduleId } }
  await store.jobs.create({ id, kind: 'list', spec, ingest, createdAt: 0, ...origin }, [])
  await store.jobs.move(id, ['pending'], 'running', { at: day })
  if (!isRunning) await store.jobs.move(id, ['running'], 'finishing', { at: day })
  if (!isRunning) await store.jobs.move(id, ['finishing'], 'completed', { at: day })
}

async function open() {
  const opened = await openTemporaryStore(new FakeClock())
  const blobs = new MapBlobs()
  const files = new Files()
  const deleted: string[] = []
  const deleteJob = async (jobId: string) => void deleted.push(jobId)
  const parts = { store: opened.store, blobs, files, now, deleteJob }
  return { ...opened, blobs, files, deleted, parts }
}

const segment = (jobId: string) => `jobs/${jobId}/segments/a.warc.gz`
const picture = (jobId: string) => `jobs/${jobId}/artifacts/1/screenshot.png`

test('raw pages and screenshots of ended jobs expire by their own rules; running jobs and files of records stay', async () => {
  await using here = await open()
  const { store, blobs, parts } = here
  await make(store, 'ended')
  await make(store, 'running', { isRunning: true })
  const stays = [segment('running'), picture('running'), 'jobs/ended/items/x/data.json']
  for (const key of [segment('ended'), picture('ended'), ...stays]) await blobs.put(key, Buffer.alloc(10))

  const freed = await applyRetention(parts, { ...forEver, rawMs: day })
  assert.deepEqual(freed.raw, { removed: 1, bytes: 10 })
  assert.deepEqual(freed.artifacts, { removed: 0, bytes: 0 })
  assert.ok(blobs.objects.has(picture('ended')))

  assert.equal((await applyRetention(parts, { ...forEver, artifactsMs: day })).artifacts.removed, 1)
  assert.deepEqual([...blobs.objects.keys()].sort(), stays.sort())
})

test('the retention of a job replaces the operator’s rules, whether it is longer or shorter', async () => {
  await using here = await open()
  const { store, blobs, parts, deleted, files } = here
  await make(store, 'ended', { retention: { rawMs: 0, jobMs: 0, exportsMs: day } })
  await make(store, 'running', { isRunning: true, retention: { exportsMs: 1 } })
  files.of = ['ended', 'running', 'gone']
  await make(store, 'short', { retention: { rawMs: 2 * day, jobMs: 3 * day } })
  for (const id of ['ended', 'short']) await blobs.put(segment(id), Buffer.alloc(10))
  const freed = await applyRetention(parts, { ...forEver, rawMs: 30 * day })
  assert.deepEqual(deleted, ['short'])
  assert.deepEqual(freed.jobs, { removed: 1, bytes: 10 })
  assert.ok(blobs.objects.has(segment('ended')))
  assert.deepEqual(files.removed, ['ended', 'gone'])
  assert.equal(freed.exports.removed, 1)
})

test('a dry run of retention reports the same objects and deletes nothing', async () => {
  await using here = await open()
  const { store, blobs, parts, deleted, files } = here
  await make(store, 'ended')
  await blobs.put(segment('ended'), Buffer.alloc(10))
  await blobs.put(segment('gone'), Buffer.alloc(7))
  files.of = ['ended']
  const rules = { ...forEver, rawMs: day, exportsMs: day }
  const dry = await applyRetention(parts, rules, { dryRun: true })
  assert.equal(blobs.objects.size, 2)
  assert.deepEqual([...deleted, ...files.removed], [])
  assert.deepEqual(await applyRetention(parts, rules), dry)
  assert.deepEqual(files.removed, ['ended'])
  assert.equal(blobs.objects.size, 0)
})

test('objects of deleted jobs are deleted when they are old enough to be orphans', async () => {
  await using here = await open()
  const { blobs, parts } = here
  await blobs.put(segment('gone'), Buffer.alloc(7))
  await blobs.put('diagnostics/1/heap.heapsnapshot', Buffer.alloc(3))
  await blobs.put('uploads/unknown/rows.csv', Buffer.alloc(2))
  assert.equal((await applyRetention({ ...parts, now: day / 2 }, forEver)).orphans.removed, 0)
  const { orphans } = await applyRetention(parts, forEver)
  assert.deepEqual(orphans, { removed: 3, bytes: 12 })
  assert.equal(blobs.objects.size, 0)
})

test('the last two runs of a schedule are never deleted, because the next run is compared with them', async () => {
  await using here = await open()
  const { store, parts, deleted } = here
  await store.schedules.create({
    ...{ id: 'weekly', workspace: 'default', name: 'weekly', cron: '0 0 * * 0', timeZone: 'UTC' },
    ...{ job: {}, overlap: 'skip', jitterMs: 0, paused: false, keyId: null, createdAt: 0 },
    ...{ nextTick: null, nextAt: null },
  })
  for (const id of ['first', 'second', 'third']) await make(store, id, { scheduleId: 'weekly' })
  await applyRetention(parts, { ...forEver, jobsMs: day })
  assert.deepEqual(deleted, ['first'])
})

test('cached model answers are deleted when they expire, but rules that a model proposed for a job stay', async () => {
  await using here = await open()
  const { store, blobs, parts } = here
  await make(store, 'ended')
  await blobs.put('llm/a.json', Buffer.from('{}'))
  await blobs.put('jobs/ended/llm/proposed-rules.json', Buffer.from('{}'))
  assert.equal((await applyRetention(parts, { ...forEver, answersMs: day })).answers.removed, 1)
  assert.deepEqual([...blobs.objects.keys()], ['jobs/ended/llm/proposed-rules.json'])
})

test('unused uploads are deleted; uploads that a job or a schedule uses stay', async () => {
  await using here = await open()
  const { store, blobs, parts } = here
  for (const id of ['done', 'read', 'scheduled']) {
    const upload = { id, workspace: 'default', fileName: 'rows.csv', blobKey: `uploads/${id}/rows.csv` }
    await store.uploads.create({ ...upload, keyId: null, createdAt: 0, expiresAt: day })
    await store.uploads.complete(id, { bytes: 4, at: day })
    await blobs.put(upload.blobKey, Buffer.alloc(4))
  }
  const ingest = {
    source: 'uploads/read/rows.csv',
    done: false,
    rows: 0,
    blank: 0,
    rejected: 0,
    duplicates: 0,
  }
  const spec = jobSpec.parse({ uploadId: 'read' })
  await store.jobs.create({ id: 'reader', kind: 'list', spec, ingest, createdAt: 0 }, [])
  await store.schedules.create({
    ...{ id: 'daily', workspace: 'default', name: 'daily', cron: '0 0 * * *', timeZone: 'UTC' },
    ...{ job: { uploadId: 'scheduled' }, overlap: 'skip', jitterMs: 0, paused: false, keyId: null },
    ...{ createdAt: 0, nextTick: null, nextAt: null },
  })
  const { uploads } = await applyRetention(parts, { ...forEver, uploadsMs: day })
  assert.deepEqual(uploads, { removed: 1, bytes: 4 })
  assert.deepEqual([...blobs.objects.keys()], ['uploads/read/rows.csv', 'uploads/scheduled/rows.csv'])
})
