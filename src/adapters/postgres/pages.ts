// Paging by cursor: the id of the last row of the previous page.
import { unknownCursor } from '../store-failures.ts'
import type { Queries } from './database.ts'

type Listed = 'webhooks' | 'schedules' | 'uploads' | 'host_listings'

/** The row number below which a page continues; newest first. */
export async function rowBefore(
  queries: Queries,
  table: Listed,
  cursor: string | undefined,
): Promise<number> {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const row = await queries.one<{ no: number }>(`SELECT no FROM ${table} WHERE id = $1`, cursor)
  if (!row) throw unknownCursor(cursor)
  return row.no
}
