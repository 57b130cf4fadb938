// Retention at work: at the start, every hour after, and never at the cost of a job that runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled } from '../../test/support/desk.ts'
import { MapBlobs, someJob } from '../../test/support/results-parts.ts'
import { FakeClock } from '../lib/clocks.ts'
import type { Events } from '../model/events.ts'
import { Failure } from '../model/failures.ts'
import type { JobStore } from '../ports/store.ts'
import { keepRawInBounds } from './raw-retention.ts'

const hour = 3_600_000
const bounds = { rawRetention: hour, rawMaxBytes: 0, answerRetention: hour }
const segment = (jobId: string) => `jobs/${jobId}/segments/a.warc.gz`

function openParts() {
  const clock = new FakeClock()
  const blobs = new MapBlobs()
  const heard: Array<[keyof Events, unknown]> = []
  const jobs = {
    get: async (id: string) => ({ ...someJob(id), state: id === 'running' ? 'running' : 'completed' }),
  } as JobStore
  const emit = (name: keyof Events, event: unknown) => void heard.push([name, event])
  return { clock, blobs, heard, parts: { store: { jobs }, blobs, clock, emit } }
}

test('what is over its time goes at the start, and that is announced', async () => {
  const { blobs, heard, parts } = openParts()
  await blobs.put(segment('ended'), Buffer.alloc(2_000_000))
  await blobs.put(segment('running'), Buffer.alloc(10))
  await using _tidying = keepRawInBounds(parts, bounds)
  await settled()
  assert.deepEqual([...blobs.objects.keys()], [segment('running')])
  assert.deepEqual(heard[0], ['raw.expired', { segments: 1, bytes: 2_000_000 }])
  assert.match((heard[1]![1] as { message: string }).message, /2\.0 MB/)
})

test('what is over its time later goes within the hour', async () => {
  const { clock, blobs, parts } = openParts()
  await using _tidying = keepRawInBounds(parts, bounds)
  await settled()
  await blobs.put(segment('ended'), Buffer.alloc(10))
  clock.advance(hour - 1)
  await settled()
  assert.equal(blobs.objects.size, 1)
  clock.advance(1)
  await settled()
  assert.equal(blobs.objects.size, 0)
})

test('above the size that is allowed, pages of ended jobs go', async () => {
  const { blobs, parts } = openParts()
  await blobs.put(segment('ended'), Buffer.alloc(100))
  await blobs.put(segment('running'), Buffer.alloc(100))
  await using _tidying = keepRawInBounds(parts, { ...bounds, rawRetention: 0, rawMaxBytes: 150 })
  await settled()
  assert.deepEqual([...blobs.objects.keys()], [segment('running')])
})

test('a disk in trouble is said, and tried again', async () => {
  const { clock, blobs, heard, parts } = openParts()
  await blobs.put(segment('ended'), Buffer.alloc(10))
  const broken = Promise.reject(new Failure('storage.failed', 'the disk is gone'))
  broken.catch(() => {})
  blobs.delete = () => broken
  await using _tidying = keepRawInBounds(parts, bounds)
  await settled()
  assert.match((heard[0]![1] as { message: string }).message, /the disk is gone/)
  blobs.delete = MapBlobs.prototype.delete
  clock.advance(hour)
  await settled()
  assert.equal(blobs.objects.size, 0)
})

test('what a language model answered goes when its time is over, and what is a job’s own stays', async () => {
  const { clock, blobs, parts } = openParts()
  await blobs.put('llm/a.json', Buffer.from('{}'))
  await blobs.put('jobs/ended/llm/proposed-rules.json', Buffer.from('{}'))
  // The blobs are as old as the epoch.
  const answerRetention = clock.now() + 1
  await using _tidying = keepRawInBounds(parts, { rawRetention: 0, rawMaxBytes: 0, answerRetention })
  await settled()
  assert.equal(blobs.objects.size, 2)
  clock.advance(hour)
  await settled()
  assert.deepEqual([...blobs.objects.keys()], ['jobs/ended/llm/proposed-rules.json'])
})
