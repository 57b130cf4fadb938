// Tests that every change of a file is reported.
import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFile } from '../../test/support/temporary-file.ts'
import { fileChanges } from './file-changes.ts'

const limit = { timeout: 120_000 }

/** Delays system calls, as on a busy machine. */
const busy = () =>
  Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 60_000, 32, 'sha512')))

test('a change of a file right after the first read is reported', limit, async () => {
  await using file = await temporaryFile('rules.yaml', 'one')
  const stop = new AbortController()
  const changes = fileChanges(file.path, stop.signal)
  const working = busy()
  assert.equal((await changes.next()).done, false)
  writeFileSync(file.path, 'two')
  assert.equal((await changes.next()).done, false)
  stop.abort()
  assert.equal((await changes.next()).done, true)
  await working
})

test(
  'a file that is moved into place or deleted is reported; equal content is no change',
  limit,
  async () => {
    await using file = await temporaryFile('rules.yaml', 'one')
    const stop = new AbortController()
    const changes = fileChanges(file.path, stop.signal)
    await changes.next()
    writeFileSync(file.path, 'one')
    const told = changes.next()
    writeFileSync(`${file.path}.new`, 'two')
    renameSync(`${file.path}.new`, file.path)
    await told
    unlinkSync(file.path)
    assert.equal((await changes.next()).done, false)
    const nothing = changes.next()
    stop.abort()
    assert.equal((await nothing).done, true)
  },
)
