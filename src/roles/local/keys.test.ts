// Tests the keys of a data directory.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hashOfKey } from '../../lib/secrets/api-keys.ts'
import { newKey } from '../../model/access.ts'
import { visitDataDirectory } from '../data-directory.ts'
import { listKeys, makeKey, revokeKey } from './keys.ts'

let folder: string
before(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'kscrape-keys-')), 'data')
})
after(() => rm(join(folder, '..'), { recursive: true }))

test('a key can be created before the first start; it is shown once, and only its hash is stored', async () => {
  const made = await makeKey(folder, newKey.parse({ name: 'build' }))
  const { key, ...kept } = made
  assert.ok(key.startsWith(kept.prefix))
  assert.deepEqual(await listKeys(folder), [kept])
  await using data = await visitDataDirectory(folder)
  assert.equal((await data.store.keys.byHash(hashOfKey(key)))?.id, kept.id)
})

test('a revoked key stays in the list', async () => {
  const { id } = await makeKey(folder, newKey.parse({}))
  assert.notEqual((await revokeKey(folder, id)).revokedAt, null)
  assert.ok((await listKeys(folder)).some(key => key.id === id && key.revokedAt !== null))
})

test('an unknown key cannot be revoked', async () => {
  await assert.rejects(revokeKey(folder, 'key-none'), { code: 'key.unknown', message: /key-none/ })
})
