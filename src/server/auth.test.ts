// Keys at the door: one that was revoked is refused, whoever was just being let in by it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../config/settings.ts'
import { FakeClock } from '../lib/clocks.ts'
import type { KeyStore } from '../ports/service-stores.ts'
import { Gatekeeper } from './auth.ts'

type Found = NonNullable<Awaited<ReturnType<KeyStore['byHash']>>>

test('a key that is revoked while it is looked up is not remembered as a good one', async () => {
  const key: Found = {
    ...{ id: 'k', prefix: 'ks_k', name: 'k', workspace: 'default', scopes: ['read'], limits: {} },
    ...{ createdAt: 0, revokedAt: null },
  }
  const first = Promise.withResolvers<Found>()
  const answers = [first.promise, Promise.resolve({ ...key, revokedAt: 1 })]
  const keys = { byHash: async () => (await answers.shift()) ?? null }
  const gatekeeper = new Gatekeeper({ keys, clock: new FakeClock() }, settingsSchema.parse({}))

  const entering = gatekeeper.admitKey('ks_key', 'read')
  gatekeeper.forget()
  first.resolve(key)

  assert.equal((await entering).keyId, 'k')
  await assert.rejects(gatekeeper.admitKey('ks_key', 'read'), { code: 'request.unauthorized' })
})
