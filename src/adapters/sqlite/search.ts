// Full-text search over records with FTS5. A background loop updates its index.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { StoredRecord } from '../../model/record.ts'
import type { RecordQuery } from '../../model/record-query.ts'
import type { SearchStore } from '../../ports/service-stores.ts'
import { mostJsonLength, mostTextOfStep, textOfRecord } from '../search-text.ts'
import type { Connection } from './connection.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'
import { type RecordRow, recordOf } from './records.ts'
import { filterSql, matchText } from './search-terms.ts'

export function searchStore({ connection, names }: Parts): SearchStore {
  return {
    async advance(limit) {
      if (!hasNewer(connection, indexedUpTo(connection))) return { indexed: 0, behind: false }
      // `takeIn` reads the position again inside the transaction, because another process may have indexed these records
      // meanwhile.
      return connection.write(() => takeIn(connection, limit), 'relaxed')
    },

    query: async query => find(connection, names, query),
  }
}

const indexedUpTo = (connection: Connection): number =>
  connection.one<{ seq: number }>('SELECT seq FROM search_state')!.seq

const hasNewer = (connection: Connection, seq: number): boolean =>
  connection.one('SELECT 1 FROM records WHERE seq > ? LIMIT 1', seq) !== undefined

const newRecord = (connection: Connection, after: number): { seq: number; data: string } | undefined =>
  connection.one(
    'SELECT seq, substr(data, 1, ?) AS data FROM records WHERE seq > ? ORDER BY seq LIMIT 1',
    mostJsonLength,
    after,
  )

function takeIn(connection: Connection, limit: number): { indexed: number; behind: boolean } {
  const insert = connection.prepare('INSERT INTO record_words (rowid, text) VALUES (?, ?)')
  let [last, indexed, textLength] = [indexedUpTo(connection), 0, 0]
  while (indexed < limit && textLength < mostTextOfStep) {
    const record = newRecord(connection, last)
    if (record === undefined) break
    const text = textOfRecord(record.data)
    insert.run(record.seq, text)
    last = record.seq
    textLength += text.length
    indexed += 1
  }
  connection.run('UPDATE search_state SET seq = ?', last)
  return { indexed, behind: hasNewer(connection, last) }
}

/** Records per slice, which takes about 50 ms if a filter matches none. */
const windowSize = 20_000

async function find(connection: Connection, names: Names, query: RecordQuery): Promise<StoredRecord[]> {
  const { sql, values } = queryOf(names, query)
  const newest = connection.one<{ seq: number | null }>('SELECT max(seq) AS seq FROM records')?.seq ?? 0
  const found: StoredRecord[] = []
  for (let before = Math.min(query.before ?? newest + 1, newest + 1); before > 0; before -= windowSize) {
    const bounds = [before, before - windowSize, query.limit - found.length]
    const rows = connection.all<RecordRow & { job_id: string }>(sql, ...values, ...bounds)
    found.push(...rows.map(row => recordOf(row.job_id, row, names)))
    if (found.length >= query.limit) break
    await letOthersRun()
  }
  return found
}

function queryOf(names: Names, query: RecordQuery) {
  const match = query.text === undefined ? null : matchText(query.text)
  const conditions = [...(match === null ? [] : [{ sql: 'w.record_words MATCH ?', values: [match] }])]
  const where = [...conditions, ...plainConditions(names, query), ...(query.filters ?? []).map(filterSql)]
  const source = match === null ? 'records r' : 'record_words w CROSS JOIN records r ON r.seq = w.rowid'
  const seq = match === null ? 'r.seq' : 'w.rowid'
  const sql = `SELECT r.*, j.id AS job_id, t.url, t.item_id, t.input FROM ${source}
    JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
    WHERE ${where.map(condition => condition.sql).join(' AND ')} AND ${seq} < ? AND ${seq} >= ? ORDER BY ${seq} DESC LIMIT ?`
  return { sql, values: where.flatMap(condition => condition.values) }
}

function plainConditions(names: Names, query: RecordQuery) {
  const { workspace, jobId, host, scraper } = query
  const when = (isAsked: boolean, sql: string, ...values: Array<string | number>) =>
    isAsked ? [{ sql, values }] : []
  return [
    { sql: 'j.workspace = ?', values: [workspace] },
    ...when(jobId !== undefined, 'j.id = ?', jobId ?? ''),
    // An unknown host gets the number 0, which no task has.
    ...when(host !== undefined, 't.host = ?', names.find(host ?? '') ?? 0),
    ...when(
      scraper !== undefined,
      `r.scraper IN (SELECT id FROM names WHERE text = ? OR text GLOB ? || '@*')`,
      scraper ?? '',
      globText(scraper ?? ''),
    ),
  ]
}

const globText = (text: string): string => text.replace(/[*?[]/g, '[$&]')
