// Paging by cursor: the id of the last row of the previous page.
import { unknownCursor } from '../store-failures.ts'
import type { Connection } from './connection.ts'

type Listed = 'webhooks' | 'schedules' | 'uploads' | 'host_listings'

/** The row number below which a page continues; newest first. */
export function rowBefore(connection: Connection, table: Listed, cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  const row = connection.one<{ no: number }>(`SELECT no FROM ${table} WHERE id = ?`, cursor)
  if (row) return row.no
  throw unknownCursor(cursor)
}

/** A list of values for `IN (SELECT value FROM json_each(?))`; null is any. */
export const listOrAny = (values: readonly string[] | undefined): string | null =>
  values ? JSON.stringify(values) : null
