// Pages of a list by cursor: the id of the last one of the page before stands for its row.
import { unknownCursor } from '../store-failures.ts'
import type { Queries } from './database.ts'

type Listed = 'webhooks' | 'schedules' | 'uploads' | 'host_listings'

/** The number of the row that a page goes on below; newest first. */
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
