// A key's row, as stores on any backend have it.
import type { ApiKey, KeyLimits, Scope } from '../../model/access.ts'

export interface KeyRow {
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

export const keyOf = (row: KeyRow): ApiKey => ({
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
