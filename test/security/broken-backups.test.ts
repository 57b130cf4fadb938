// Tests that a damaged or forged backup is refused with an error that names the backup, and that no file outside the data
// directory is written.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { tarEnd, tarHead, tarRest } from '../../src/lib/tar.ts'
import { checksumsName, checksumsText, noteName, noteText } from '../../src/maintain/backup/bundle.ts'
import { restoreBackup } from '../../src/maintain/backup/restore-backup.ts'
import { Failure } from '../../src/model/failures.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-broken-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const note = noteText({
  format: 'kscrape-backup',
  version: 1,
  kscrape: '0.1.0',
  createdAt: '2026-01-01T00:00:00Z',
  dataDir: '/data',
})

const entry = (path: string, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content as string)
  const head = tarHead({ path, bytes: bytes.length, modifiedAt: 0 })
  return Buffer.concat([head, bytes, tarRest(bytes.length)])
}

/** A backup that has these files, with valid checksums. */
function bundleOf(files: ReadonlyArray<readonly [path: string, content: string]>, noteIn = note): Buffer {
  const sums = new Map(
    files.map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]),
  )
  return Buffer.concat([
    entry(noteName, noteIn),
    ...files.map(([path, content]) => entry(path, content)),
    entry(checksumsName, checksumsText(sums)),
    tarEnd(),
  ])
}

let count = 0
async function refused(bundle: Buffer): Promise<Failure> {
  count += 1
  const name = `bundle-${count}`
  const file = join(folder, `${name}.tar`)
  await writeFile(file, bundle)
  const error = await restoreBackup(file, join(folder, name), { force: true, tell() {} }).then(
    () => assert.fail('it was restored'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Failure, String((error as Error).stack))
  assert.notEqual(error.code, 'internal.bug', error.stack)
  assert.deepEqual(
    (await readdir(folder)).filter(each => !each.startsWith('bundle-')),
    [],
  )
  await rm(join(folder, name), { recursive: true, force: true })
  await rm(file)
  return error
}

/** Changes a header of the archive and corrects its checksum. */
function patched(bundle: Buffer, at: number, text: string): Buffer {
  const copy = Buffer.from(bundle)
  copy.write(text, at, 'latin1')
  const block = at - (at % 512)
  copy.fill(' ', block + 148, block + 156)
  const sum = copy.subarray(block, block + 512).reduce((all, byte) => all + byte, 0)
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, block + 148, 'latin1')
  return copy
}

const store = ['store.sqlite', 'no database'] as const

test('the error for a missing backup says that there is no such file', async () => {
  const restored = restoreBackup(join(folder, 'missing.tar'), join(folder, 'new'), { force: true, tell() {} })
  await assert.rejects(restored, {
    code: 'input.invalid',
    message: /missing\.tar can't be read: there is no such file/,
  })
  await rm(join(folder, 'new'), { recursive: true, force: true })
})

test('a backup with invalid file sizes is refused', async () => {
  for (const size of [
    'zzzzzzzzzzz',
    '-0000000005',
    '           ',
    '77777777777',
    '\x80\0\0\0\0\0\0\xff\xff\xff\xff',
  ])
    assert.match(
      (await refused(patched(bundleOf([store]), 124, size))).message,
      /is broken: .+nothing was restored/,
    )
})

test('a backup whose kscrape-backup.json is not JSON, or not written by kscrape, is refused', async () => {
  for (const text of ['{', 'null', '[]', '"kscrape-backup"', '{"format":"kscrape-backup","version":99}'])
    assert.match(
      (await refused(bundleOf([store], text))).message,
      /is broken|is not a backup|has backup format 99/,
    )
})

test('a backup whose store is not a database is refused, even if its checksum is right', async () => {
  await refused(bundleOf([store]))
})

test('a backup with paths outside the data directory cannot write files there', async () => {
  for (const path of ['../outside', '/tmp/kscrape-outside', 'a/../../outside', '.', ''])
    await refused(bundleOf([store, [path, 'x']]))
})

test('a backup with conflicting paths is refused', async () => {
  await refused(bundleOf([store, ['a', 'x'], ['a/b', 'y']]))
  await refused(bundleOf([store, ['a', 'x'], ['a', 'y']]))
})

test('a backup with any changed byte is refused as broken', async () => {
  const whole = bundleOf([store, ['blobs/one', 'first'], ['blobs/two', 'second']])
  const change = fc.tuple(fc.nat(whole.length - 1_025), fc.integer({ min: 1, max: 255 }))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async changes => {
      const copy = Buffer.from(whole)
      for (const [at, mask] of changes) copy[at] = copy[at]! ^ mask
      await refused(copy)
    }),
    { numRuns: 60 },
  )
})
