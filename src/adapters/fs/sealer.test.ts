// Sealing: a value can only be opened with the key, and only for its owner.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSealer } from './sealer.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-seal-'))
})
after(() => rm(folder, { recursive: true, force: true }))

test('every process with the key can open a sealed value, but only for the same owner', () => {
  const sealed = openSealer(folder).seal('Bearer ü', 'job-1 authorization')
  assert.ok(!Buffer.from(sealed, 'base64url').toString('latin1').includes('Bearer'))
  const later = openSealer(folder)
  assert.equal(later.open(sealed, 'job-1 authorization'), 'Bearer ü')
  assert.throws(() => later.open(sealed, 'job-2 authorization'), { code: 'secret.missing' })
  assert.throws(() => later.open(`${sealed.slice(0, -4)}AAAA`, 'job-1 authorization'), {
    code: 'secret.missing',
  })
  assert.throws(() => later.open('', 'job-1 authorization'), { code: 'secret.missing' })
  assert.notEqual(later.seal('a', 'o'), later.seal('a', 'o'), 'two sealed copies of a text must differ')
})

test('only its owner can read the key file, and an error names a missing or broken key', async () => {
  openSealer(folder).seal('a', 'o')
  const path = join(folder, 'seal.key')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const key = await readFile(path)
  await writeFile(path, 'short')
  assert.throws(() => openSealer(folder).seal('a', 'o'), /seal\.key contains no key/)
  await rm(path)
  assert.throws(() => openSealer(folder).open('AAAA', 'o'), /seal\.key can't be read/)
  await writeFile(path, key, { mode: 0o600 })
})
