// Creates and revokes keys of a data directory, also while a service runs on it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfKey, newApiKey, newKeyId, prefixOfKey } from '../../lib/secrets/api-keys.ts'
import type { ApiKey, NewKey } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { type DataDirectory, ownDataDirectory, visitDataDirectory } from '../data-directory.ts'

/** Creates a key. Only this function returns the key itself; the store has its hash. */
export async function makeKey(dataDir: string, wanted: NewKey): Promise<ApiKey & { key: string }> {
  await using data = await openAny(dataDir)
  const key = newApiKey()
  const kept: ApiKey = {
    ...wanted,
    ...{ id: newKeyId(), prefix: prefixOfKey(key), createdAt: Date.now(), revokedAt: null },
  }
  await data.store.keys.add(kept, hashOfKey(key))
  return { ...kept, key }
}

/** Creates a missing directory, because keys may be created before the first start. */
const openAny = (dataDir: string): Promise<DataDirectory> =>
  existsSync(join(dataDir, 'store.sqlite'))
    ? visitDataDirectory(dataDir)
    : ownDataDirectory(dataDir, 'keys create')

export async function listKeys(dataDir: string): Promise<ApiKey[]> {
  await using data = await visitDataDirectory(dataDir)
  return await data.store.keys.list()
}

export async function revokeKey(dataDir: string, keyId: string): Promise<ApiKey> {
  await using data = await visitDataDirectory(dataDir)
  await data.store.keys.revoke(keyId, Date.now())
  const key = await data.store.keys.get(keyId)
  if (key) return key
  throw new Failure(
    'key.unknown',
    `there is no key "${keyId}" in ${data.path}; \`kscrape keys list\` shows them`,
  )
}
