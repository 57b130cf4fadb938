// Tests how keys are printed, both those of a data directory and those of a service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, KeyShown } from '../../client.ts'
import type { ApiKey } from '../../model/access.ts'
import { factsOf, keysOf, rowOf } from './keys.ts'

const shown: KeyShown = {
  ...{ keyId: 'key-1', prefix: 'ks_ab', name: 'build', workspace: 'team', scopes: ['read', 'submit'] },
  ...{ limits: {}, workspaces: [], createdAt: '2026-01-02T03:04:05.000Z', revokedAt: null },
}
const key: ApiKey = {
  ...{ id: 'key-1', prefix: 'ks_ab', name: 'build', workspace: 'team', scopes: ['read', 'submit'] },
  ...{ limits: {}, workspaces: [], createdAt: Date.UTC(2026, 0, 2, 3, 4, 5), revokedAt: null },
}

test('the list of keys says whether a key is revoked', () => {
  assert.deepEqual(rowOf(key).slice(0, -1), ['key-1', 'ks_ab', 'build', 'team', 'read,submit'])
  assert.notEqual(rowOf(key).at(-1), 'revoked')
  assert.equal(rowOf({ ...key, revokedAt: 1 }).at(-1), 'revoked')
})

test('the JSON output of keys has times in ISO 8601, and null for a key that is not revoked', () => {
  assert.equal(factsOf(key).created_at, '2026-01-02T03:04:05.000Z')
  assert.equal(factsOf(key).revoked_at, null)
  assert.equal(factsOf({ ...key, revokedAt: 1_000 }).revoked_at, '1970-01-01T00:00:01.000Z')
})

test('keys of a service are shown like keys of the data directory', async () => {
  const keys = {
    create: async () => ({ ...shown, key: 'ks_secret' }),
    list: async () => [shown],
    revoke: async () => ({ ...shown, revokedAt: '1970-01-01T00:00:01.000Z' }),
  }
  const ring = keysOf({ keys } as unknown as Client)
  assert.deepEqual(await ring.list(), [key])
  assert.deepEqual(await ring.make(key), { ...key, key: 'ks_secret' })
  assert.deepEqual(await ring.revoke('key-1'), { ...key, revokedAt: 1_000 })
})
