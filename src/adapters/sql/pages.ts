// Paging with a cursor: the id of the last row of the previous page.
import { unknownCursor } from '../store-failures.ts'
import { isOrAny, type Sql } from './sql.ts'

type Listed = 'webhooks' | 'schedules' | 'uploads' | 'host_listings'

/** The row number below which the next page starts; rows are listed newest first. */
export async function rowBefore(sql: Sql, table: Listed, cursor: string | undefined): Promise<number> {
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

/** Rows of one workspace or of all, newest first. */
export async function pageOf<Row>(
  sql: Sql,
  table: 'schedules' | 'uploads',
  { workspace, limit = 100, cursor }: PageOfWorkspace,
): Promise<Row[]> {
  const text = `SELECT * FROM ${table} WHERE no < $1 AND ${isOrAny('workspace', '$2')} ORDER BY no DESC LIMIT $3`
  return sql.all<Row>(text, await rowBefore(sql, table, cursor), workspace ?? null, limit)
}
