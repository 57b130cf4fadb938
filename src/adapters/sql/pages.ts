// Paging with a cursor: the id of the last row of the previous page.
import { unknownCursor } from '../store-failures.ts'
import { isOrAny, type Sql } from './sql.ts'
import { findAll, type Stored } from './stored.ts'

/** The row number below which the next page starts; rows are listed newest first. */
export async function rowBefore(sql: Sql, table: string, cursor: string | undefined): Promise<number> {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const row = await sql.one<{ no: number }>(`SELECT no FROM ${table} WHERE id = $1`, cursor)
  if (!row) throw unknownCursor(cursor)
  return row.no
}

interface PageOfWorkspace {
  workspace?: string
  limit?: number
  cursor?: string
}

/** One page of a table, newest rows first. Without `workspace`, rows of all workspaces are included. */
export async function pageOf<Thing>(
  sql: Sql,
  type: Stored<Thing>,
  { workspace, limit = 100, cursor }: PageOfWorkspace,
): Promise<Thing[]> {
  const before = await rowBefore(sql, type.table, cursor)
  const clause = `WHERE no < $1 AND ${isOrAny('workspace', '$2')} ORDER BY no DESC LIMIT $3`
  return findAll(sql, type, clause, before, workspace ?? null, limit)
}
