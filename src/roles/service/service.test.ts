// Tests when a service creates its first key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { hashOfKey, localKeyPrefix } from '../../lib/secrets/api-keys.ts'
import type { ApiKey } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import { firstKeyOf } from './service.ts'

function keysWith(...ids: Array<Partial<ApiKey>>) {
  const added: Array<{ key: ApiKey; hash: string }> = []
  const keys = {
    list: async () => ids.map(key => ({ revokedAt: null, ...key })),
    add: async (key: ApiKey, hash: string) => void added.push({ key, hash }),
  } as unknown as KeyStore
  return { added, first: (settings: object) => firstKeyOf(keys, settingsSchema.parse(settings)) }
}

test('a service on loopback creates a key if there is none, and stores only the hash of the key', async () => {
  const { added, first } = keysWith()
  const key = await first({ host: '127.0.0.1' })
  assert.equal(added[0]?.hash, hashOfKey(key!))
  assert.ok(added[0]?.key.id.startsWith(localKeyPrefix))
  assert.ok(added[0]?.key.scopes.includes('admin'))
})

test('no key is created if there is a configured key, or a stored key that is not revoked', async () => {
  for (const [kept, settings] of [
    [[], { apiKey: 'given-key-0000001' }],
    [[], { serviceKey: 'given-key-0000001' }],
    [[{ id: 'key-1' }], {}],
  ] as const) {
    const { added, first } = keysWith(...kept)
    assert.equal(await first({ host: '127.0.0.1', ...settings }), null)
    assert.deepEqual(added, [])
  }
  assert.notEqual(await keysWith({ id: 'key-1', revokedAt: 1 }).first({ host: '127.0.0.1' }), null)
})

test('a service that other machines can reach needs a configured key; a local key is not enough', async () => {
  const refused = { code: 'input.invalid', message: /SCRAPER_API_KEY/ }
  await assert.rejects(keysWith().first({ host: '0.0.0.0' }), refused)
  await assert.rejects(keysWith({ id: `${localKeyPrefix}1` }).first({ host: '0.0.0.0' }), refused)
  assert.equal(await keysWith({ id: 'key-1' }).first({ host: '0.0.0.0' }), null)
  assert.equal(await keysWith().first({ host: '0.0.0.0', apiKey: 'given-key-0000001' }), null)
})
