// API keys. Only their hashes are stored.
import type { ApiKey } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import { isOrAny, type Sql } from './sql.ts'
import { findAll, findOne, stored } from './stored.ts'

const fields = {
  id: 'plain',
  prefix: 'plain',
  name: 'plain',
  workspace: 'plain',
  scopes: 'json',
  limits: 'json',
  workspaces: 'json',
  createdAt: 'plain',
  revokedAt: 'plain',
} as const

const keys = stored<ApiKey>('api_keys', fields)
const hashedKeys = stored<ApiKey & { hash: string }>('api_keys', { ...fields, hash: 'plain' })

export function keyStore(sql: Sql): KeyStore {
  return {
    async add(key, hash) {
      await sql.run(hashedKeys.insert, ...hashedKeys.values({ ...key, hash, revokedAt: null }))
    },

    byHash: hash => findOne(sql, keys, 'WHERE hash = $1', hash),
    get: keyId => findOne(sql, keys, 'WHERE id = $1', keyId),

    list: ({ workspace } = {}) =>
      findAll(sql, keys, `WHERE ${isOrAny('workspace', '$1')} ORDER BY no`, workspace ?? null),

    async revoke(keyId, at) {
      const text = 'UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL'
      return (await sql.run(text, at, keyId)) === 1
    },
  }
}
