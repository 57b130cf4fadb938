// Full-text search over records. A background loop updates its index.
import type { StoredRecord } from '../../model/record.ts'
import type { SearchStore } from '../../ports/service-stores.ts'
import { mostJsonLength, mostTextOfStep, textOfRecord } from '../search-text.ts'
import { shownRecord } from '../sql/records.ts'
import { searchStatement } from '../sql/search.ts'
import type { Sql } from '../sql/sql.ts'
import type { Database, Queries } from './database.ts'
import type { RecordHorizon } from './record-horizon.ts'
import { rowsTable } from './rows.ts'
import { plainWords, searchForms } from './search-terms.ts'

export function searchStore(database: Database, sql: Sql, horizon: RecordHorizon): SearchStore {
  return {
    async advance(limit) {
      const upTo = await horizon.read(database)
      return database.transaction(queries => takeIn(queries, limit, upTo))
    },

    async query(query) {
      const { text, values } = searchStatement(sql, searchForms, query)
      const { before = Number.MAX_SAFE_INTEGER, limit } = query
      return (await sql.all<StoredRecord>(text, ...values, before, 0, limit)).map(shownRecord)
    },
  }
}

/** Indexes the next records. One process at a time: a second process waits, and then indexes the rest. */
async function takeIn(
  queries: Queries,
  limit: number,
  upTo: number,
): Promise<{ indexed: number; behind: boolean }> {
  const state = await queries.one<{ seq: number }>('SELECT seq FROM search_state FOR UPDATE')
  const rows = await queries.all<{ seq: number; data: string }>(
    `SELECT seq, data FROM (
       SELECT seq, data, sum(length(data)) OVER (ORDER BY seq) - length(data) AS before FROM (
         SELECT seq, left(data, ${mostJsonLength}) AS data FROM records WHERE seq > $1 AND seq <= $3 ORDER BY seq LIMIT $2
       ) following
     ) measured WHERE before < ${mostTextOfStep} ORDER BY seq`,
    state!.seq,
    limit,
    upTo,
  )
  if (rows.length === 0) return { indexed: 0, behind: false }
  const words = rows.map(({ seq, data }) => ({ seq, words: plainWords(textOfRecord(data)) }))
  const table = rowsTable('r', { seq: 'bigint', words: 'text' }, words, 2)
  await queries.run(
    `WITH done AS (UPDATE search_state SET seq = $1)
     INSERT INTO record_words (seq, words) SELECT seq, to_tsvector('simple', words) FROM ${table.sql}
     ON CONFLICT (seq) DO NOTHING`,
    rows.at(-1)!.seq,
    ...table.values,
  )
  return { indexed: rows.length, behind: rows.at(-1)!.seq < upTo }
}
