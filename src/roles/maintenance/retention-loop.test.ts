// Tests the retention loop: it runs at the start and periodically, and logs disk errors.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { MapBlobs } from '../../../test/support/results-parts.ts'
import { type SettingsInput, settingsSchema } from '../../config/settings.ts'
import { FakeClock } from '../../lib/clocks.ts'
import { runRetention } from '../../maintain/retention-loop.ts'
import type { Events } from '../../model/events.ts'
import { Failure } from '../../model/failures.ts'
import { visitDataDirectory, withDataDirectory } from '../data-directory.ts'

const day = 86_400_000
const stray = 'jobs/gone/segments/a.warc.gz'

async function open(given: SettingsInput = {}) {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-retention-'))
  await withDataDirectory(path, 'test', async () => {})
  const data = await visitDataDirectory(path)
  const blobs = new MapBlobs()
  const clock = new FakeClock(10 * day)
  const heard: Array<[keyof Events, unknown]> = []
  const emit = (name: keyof Events, event: unknown) => void heard.push([name, event])
  const settings = settingsSchema.parse(given)
  const start = () => runRetention({ ...data, blobs }, settings, { clock, emit })
  return {
    ...{ blobs, clock, heard, start },
    async [Symbol.asyncDispose]() {
      await data[Symbol.asyncDispose]()
      await rm(path, { recursive: true })
    },
  }
}

test('expired data is deleted at the start, and again in the next round', async () => {
  await using here = await open({ gcEvery: '2h' })
  const { blobs, clock, heard, start } = here
  await blobs.put(stray, Buffer.alloc(2_000_000))
  await using _tidying = start()
  await eventually('the first round', () => heard.length === 1)
  assert.equal(blobs.objects.size, 0)
  assert.match((heard[0]![1] as { message: string }).message, /1 orphans \(2\.0 MB\)/)
  await blobs.put(stray, Buffer.alloc(10))
  await eventually('the next round', () => {
    clock.advance(3_600_000)
    return blobs.objects.size === 0
  })
})

test('a disk error is logged, and the deletion is retried', async () => {
  await using here = await open()
  const { blobs, clock, heard, start } = here
  await blobs.put(stray, Buffer.alloc(10))
  const broken = new Failure('storage.failed', 'the disk is gone')
  blobs.delete = () => Promise.reject(broken)
  await using _tidying = start()
  await eventually('the trouble', () => heard.length === 1)
  assert.match((heard[0]![1] as { message: string }).message, /the disk is gone/)
  blobs.delete = MapBlobs.prototype.delete
  await eventually('the next round', () => {
    clock.advance(3_600_000)
    return blobs.objects.size === 0
  })
})
