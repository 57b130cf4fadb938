// Identities that a job has seen: task names, canonical URLs and content hashes. Each identity has one owner task.
import type { Key } from '../../model/task.ts'
import type { BulkWrite } from './bulk-writes.ts'
import type { Queries } from './database.ts'
import { rowsTable } from './rows.ts'

export const spaces = { name: 0, canonical: 1, content: 2 } as const

export interface SeenKey {
  job_no: number
  space: (typeof spaces)[keyof typeof spaces]
  key: Key
}

export interface SeenRow extends SeenKey {
  n: number
}

/** Maps an identity to the number of its owner task. */
export type Holders = ReadonlyMap<string, number>

const keyColumns = { job_no: 'bigint', space: 'integer', key: 'bigint' } as const

export const placeOf = ({ job_no, space, key }: SeenKey): string => `${job_no} ${space} ${key}`

/** Reads the owners of identities; those without an owner are missing in the result. Looks up each key, because a join might
 *  scan the table. */
export async function readSeen(queries: Queries, asked: readonly SeenKey[]): Promise<Holders> {
  if (asked.length === 0) return new Map()
  const wanted = rowsTable('r', keyColumns, asked)
  const held = await queries.all<{ ord: number; n: number }>(
    `SELECT r.ord, holder.n FROM ${wanted.sql} CROSS JOIN LATERAL (
       SELECT n FROM seen WHERE job_no = r.job_no AND space = r.space AND key = r.key LIMIT 1
     ) holder`,
    ...wanted.values,
  )
  return new Map(held.map(({ ord, n }) => [placeOf(asked[ord - 1]!), n]))
}

export const seenNow = {
  name: 'seen_now',
  columns: { ...keyColumns, n: 'bigint' },
  text: seen => `INSERT INTO seen (job_no, space, key, n) SELECT job_no, space, key, n FROM ${seen}`,
} satisfies BulkWrite
