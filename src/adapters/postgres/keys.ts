// API keys: found by hash, never stored themselves.
import type { ApiKey } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import { type KeyRow, keyOf } from '../rows/key-rows.ts'
import type { Database } from './database.ts'

export function keyStore(database: Database): KeyStore {
  const one = async (where: 'hash' | 'id', value: string): Promise<ApiKey | null> => {
    const row = await database.one<KeyRow>(`SELECT * FROM api_keys WHERE ${where} = $1`, value)
    return row ? keyOf(row) : null
  }
  return {
    async add({ id, prefix, name, workspace, scopes, limits, workspaces, createdAt }, hash) {
      const text = `INSERT INTO api_keys (id, hash, prefix, name, workspace, scopes, limits, workspaces, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
      const lists = [scopes, limits, workspaces].map(list => JSON.stringify(list))
      const values = [...lists, createdAt] as const
      await database.run(text, id, hash, prefix, name, workspace, ...values)
    },

    byHash: hash => one('hash', hash),
    get: keyId => one('id', keyId),

    async list({ workspace } = {}) {
      const text = 'SELECT * FROM api_keys WHERE ($1::text IS NULL OR workspace = $1) ORDER BY no'
      return (await database.all<KeyRow>(text, workspace ?? null)).map(keyOf)
    },

    async revoke(keyId, at) {
      const text = 'UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL'
      return (await database.run(text, at, keyId)) === 1
    },
  }
}
