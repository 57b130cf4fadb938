// Tests the key that signs upload URLs: each data directory has one, which the first process creates.
import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { uploadKeyIn } from './upload-key.ts'

test('the upload key is created once, only its owner can read it, and it is the same after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-key-'))
  const key = await uploadKeyIn(folder)
  assert.equal(key.length, 32)
  assert.ok((await uploadKeyIn(folder)).equals(key))
  assert.equal((await stat(join(folder, 'upload-key'))).mode & 0o777, 0o600)
  await writeFile(join(folder, 'upload-key'), 'short')
  await assert.rejects(uploadKeyIn(folder), /upload-key contains no key of 32 bytes; delete the file/)
  await rm(folder, { recursive: true })
})
