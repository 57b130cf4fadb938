// API keys: found by hash, never stored themselves.
import type { ApiKey } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import { type KeyRow, keyOf } from '../rows/key-rows.ts'
import type { Parts } from './parts.ts'

const columns =
  'id, prefix, name, workspace, scopes, limits, workspaces, created_at, revoked_at FROM api_keys'

export function keyStore({ connection }: Parts): KeyStore {
  const one = (where: string, value: string): ApiKey | null => {
    const row = connection.one<KeyRow>(`SELECT ${columns} WHERE ${where} = ?`, value)
    return row ? keyOf(row) : null
  }
  return {
    async add({ id, prefix, name, workspace, scopes, limits, workspaces, createdAt }, hash) {
      const text = `INSERT INTO api_keys (id, hash, prefix, name, workspace, scopes, limits, workspaces, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
      const lists = [scopes, limits, workspaces].map(list => JSON.stringify(list))
      const values = [...lists, createdAt] as const
      connection.write(() => connection.run(text, id, hash, prefix, name, workspace, ...values))
    },

    byHash: async hash => one('hash', hash),
    get: async keyId => one('id', keyId),

    async list({ workspace } = {}) {
      const text = `SELECT ${columns} WHERE (?1 IS NULL OR workspace = ?1) ORDER BY no`
      return connection.all<KeyRow>(text, workspace ?? null).map(keyOf)
    },

    async revoke(keyId, at) {
      const text = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'
      return connection.write(() => connection.run(text, at, keyId)) === 1
    },
  }
}
