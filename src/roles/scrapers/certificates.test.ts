// Tests the certificates stored beside scrapers, and when they expire.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Entry } from './catalogue.ts'
import { type Certificate, keepCertificate, readCertificates, standingOf } from './certificates.ts'
import { contentHash } from './source-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-certificates-'))
})
afterEach(() => rm(folder, { recursive: true }))

const certificate = (change: Partial<Certificate> = {}): Certificate => ({
  ...{ version: '1.0.0', hash: 'h', certified_at: 'T', passed: true, checks: [] },
  ...change,
})

test('certificates are stored by scraper, sorted, without a temporary file', async () => {
  assert.deepEqual(readCertificates(folder), {})
  keepCertificate(folder, 'b', certificate())
  keepCertificate(folder, 'a', certificate({ passed: false }))
  keepCertificate(folder, 'b', certificate({ version: '2.0.0' }))
  assert.deepEqual(Object.keys(readCertificates(folder)), ['a', 'b'])
  assert.equal(readCertificates(folder).b?.version, '2.0.0')
  assert.deepEqual(await readdir(folder), ['.certified.json'])
})

test('a damaged file of certificates is refused, and the error names its path', async () => {
  await writeFile(join(folder, '.certified.json'), '{')
  assert.throws(() => readCertificates(folder), { code: 'input.invalid', message: /\.certified\.json/ })
})

test('a certificate expires when the version or a file of the scraper changes', async () => {
  const file = join(folder, 'shop.ts')
  await writeFile(file, 'export default 1')
  const entry = { file, scraper: { id: 'shop', version: '1.0.0' } } as unknown as Entry
  const kept = certificate({ hash: contentHash(folder, entry) })
  assert.equal(standingOf(folder, entry, kept), 'certified')
  assert.equal(standingOf(folder, entry, { ...kept, passed: false }), 'failed')
  assert.equal(standingOf(folder, entry, { ...kept, version: '0.9.0' }), 'lapsed')
  await writeFile(file, 'export default 2')
  assert.equal(standingOf(folder, entry, kept), 'lapsed')
  assert.equal(standingOf(folder, entry), 'never')
  assert.equal(standingOf(folder, { ...entry, file: null }), 'built-in')
})
