// API keys. Only their hashes are stored.
import type { ApiKey, KeyLimits, Scope } from '../../model/access.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import { isOrAny, type Sql } from './sql.ts'

interface KeyRow {
  id: string
  prefix: string
  name: string
  workspace: string
  scopes: string
  limits: string
  workspaces: string
  created_at: number
  revoked_at: number | null
}

const keyOf = (row: KeyRow): ApiKey => ({
  id: row.id,
  prefix: row.prefix,
  name: row.name,
  workspace: row.workspace,
  scopes: JSON.parse(row.scopes) as Scope[],
  limits: JSON.parse(row.limits) as KeyLimits,
  workspaces: JSON.parse(row.workspaces) as string[],
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
})

export function keyStore(sql: Sql): KeyStore {
  const find = async (column: 'hash' | 'id', value: string): Promise<ApiKey | null> => {
    const row = await sql.one<KeyRow>(`SELECT * FROM api_keys WHERE ${column} = $1`, value)
    return row && keyOf(row)
  }
  return {
    async add({ id, prefix, name, workspace, scopes, limits, workspaces, createdAt }, hash) {
      const text = `INSERT INTO api_keys (id, hash, prefix, name, workspace, scopes, limits, workspaces, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
      const lists = [scopes, limits, workspaces].map(list => JSON.stringify(list))
      await sql.run(text, id, hash, prefix, name, workspace, ...lists, createdAt)
    },

    byHash: hash => find('hash', hash),
    get: keyId => find('id', keyId),

    async list({ workspace } = {}) {
      const text = `SELECT * FROM api_keys WHERE ${isOrAny('workspace', '$1')} ORDER BY no`
      return (await sql.all<KeyRow>(text, workspace ?? null)).map(keyOf)
    },

    async revoke(keyId, at) {
      const text = 'UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL'
      return (await sql.run(text, at, keyId)) === 1
    },
  }
}
