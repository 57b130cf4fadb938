// Tests the names of artifacts, and where they are stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MapBlobs } from '../../test/support/results-parts.ts'
import type { Artifact } from '../model/policy/rendering.ts'
import { artifactFile, keepArtifacts, numbered, ofFailure } from './artifacts.ts'

const artifact = (name: string, change: Partial<Artifact> = {}): Artifact => ({
  name,
  fileName: `${name}.png`,
  type: 'image/png',
  bytes: Buffer.from(name),
  ...change,
})
const task = { jobId: 'job', n: 7, itemId: null }

test('an artifact is stored under the number of its task, and its key is returned', async () => {
  const blobs = new MapBlobs()
  const kept = await keepArtifacts(blobs, { ...task, inItem: false }, [artifact('screenshot')])

  const key = 'jobs/job/artifacts/7/screenshot.png'
  assert.deepEqual(kept, [{ ...artifact('screenshot'), bytes: 10, key }])
  assert.equal((await blobs.get(key))?.toString(), 'screenshot')
})

test('with the layout items, an artifact is in the folder of its item', async () => {
  const blobs = new MapBlobs()
  const place = { ...task, itemId: 'row-1', inItem: true }
  const [kept] = await keepArtifacts(blobs, place, [artifact('screenshot')])
  assert.equal(kept?.key, 'jobs/job/items/row-1/screenshot.png')
})

test('the file name of a download never becomes a path', () => {
  const named = (fileName: string, type = 'text/csv') =>
    artifactFile(artifact('download', { fileName, type }))
  assert.equal(named('../../etc/passwd'), 'download.bin')
  assert.equal(named('Bericht Q3.CSV'), 'download.csv')
  assert.equal(named('x./../../y', 'application/pdf'), 'download.pdf')
  assert.equal(artifactFile(artifact('../x', { fileName: 'a.png' })), '-x.png')
})

test('several artifacts of one kind stay separate, and so do those of a failed attempt', () => {
  const names = numbered([artifact('download'), artifact('download'), artifact('pdf'), artifact('download')])
  assert.deepEqual(
    names.map(({ name }) => name),
    ['download', 'download-2', 'pdf', 'download-3'],
  )
  assert.equal(ofFailure([artifact('screenshot')], 2)[0]?.name, 'failed-2-screenshot')
})
