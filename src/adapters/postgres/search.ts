// Full-text search over records. A background loop updates its index.
import { shownRow } from '../../model/hidden-row.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { RecordQuery } from '../../model/record-query.ts'
import type { SearchStore } from '../../ports/service-stores.ts'
import { mostJsonLength, mostTextOfStep, textOfRecord } from '../search-text.ts'
import type { Database, Queries } from './database.ts'
import type { RecordHorizon } from './record-horizon.ts'
import { type RecordRow, recordOf } from './record-rows.ts'
import { rowsTable } from './rows.ts'
import { filterSql, plainWords, searchQuery } from './search-terms.ts'

export function searchStore(database: Database, horizon: RecordHorizon): SearchStore {
  return {
    async advance(limit) {
      const upTo = await horizon.read(database)
      return database.transaction(queries => takeIn(queries, limit, upTo))
    },

    query: query => find(database, query),
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

type FoundRow = RecordRow & { job_id: string; url: string; item_id: string | null; input: string | null }

async function find(database: Database, query: RecordQuery): Promise<StoredRecord[]> {
  const { sql, values } = statementOf(query)
  return (await database.all<FoundRow>(sql, ...values)).map(storedOf)
}

const storedOf = (row: FoundRow): StoredRecord => ({
  ...recordOf(row),
  seq: row.seq,
  jobId: row.job_id,
  n: row.n,
  url: row.url,
  itemId: row.item_id,
  ...shownRow(row.input, row.way),
})

/** Builds the statement. Each value gets the next parameter number. */
function statementOf(query: RecordQuery): { sql: string; values: unknown[] } {
  const values: unknown[] = []
  const place = (value: unknown): string => `$${values.push(value)}`
  const asked = query.text === undefined ? null : searchQuery(query.text)
  const where = [
    `j.workspace = ${place(query.workspace)}`,
    ...(asked === null ? [] : [`w.words @@ to_tsquery('simple', ${place(asked)})`]),
    ...plainConditions(query, place),
    ...(query.filters ?? []).map(filter => filterSql(filter, place)),
  ]
  const words = asked === null ? '' : 'JOIN record_words w ON w.seq = r.seq'
  const sql = `SELECT r.*, j.id AS job_id, t.url, t.item_id, t.input FROM records r ${words}
    JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
    WHERE ${where.join(' AND ')} ORDER BY r.seq DESC LIMIT ${place(query.limit)}`
  return { sql, values }
}

function plainConditions(query: RecordQuery, place: (value: unknown) => string): string[] {
  const { before, jobId, host, scraper } = query
  return [
    ...(before === undefined ? [] : [`r.seq < ${place(before)}`]),
    ...(jobId === undefined ? [] : [`j.id = ${place(jobId)}`]),
    ...(host === undefined ? [] : [`t.host = ${place(host)}`]),
    ...(scraper === undefined ? [] : [`${place(scraper)} IN (r.scraper, split_part(r.scraper, '@', 1))`]),
  ]
}
