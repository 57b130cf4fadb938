// Tests the blob store on the file system against its contract.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileBlobs } from '../../src/adapters/fs/blobs.ts'
import { blobsContract } from './blobs-contract.ts'

blobsContract('the file system', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-blobs-'))
  const again = () => openFileBlobs(join(directory, 'blobs'))
  const blobs = await again()
  return {
    blobs,
    again,
    async [Symbol.asyncDispose]() {
      await blobs[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
})

test('deleting the last file of a job deletes its empty folders too, but not folders that are shared or of other jobs', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-blobs-'))
  await using blobs = await openFileBlobs(directory)
  for (const key of [
    'jobs/a/segments/1',
    'jobs/a/artifacts/7/shot.png',
    'jobs/a/artifacts/8/shot.png',
    'jobs/b/data',
  ])
    await blobs.put(key, Buffer.from('bytes'))

  await blobs.delete(['jobs/a/segments/1', 'jobs/a/artifacts/7/shot.png', 'jobs/a/never/was'])
  assert.deepEqual(readdirSync(join(directory, 'jobs/a')), ['artifacts'])
  await blobs.delete(['jobs/a/artifacts/8/shot.png'])
  assert.deepEqual(readdirSync(join(directory, 'jobs')), ['b'])
  await blobs.delete(['jobs/b/data'])
  assert.deepEqual(readdirSync(directory), ['jobs'])
  rmSync(directory, { recursive: true })
})

test('deleting a file also deletes the temporary file of a killed writer', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-blobs-'))
  await using blobs = await openFileBlobs(directory)
  const folder = join(directory, 'uploads/a')
  mkdirSync(folder, { recursive: true })
  for (const name of ['rows.txt.17-abc.kscrape-tmp', 'other.txt.17-abc.kscrape-tmp'])
    writeFileSync(join(folder, name), 'half')

  await blobs.delete(['uploads/a/rows.txt'])

  assert.deepEqual(readdirSync(folder), ['other.txt.17-abc.kscrape-tmp'])
  rmSync(directory, { recursive: true })
})
