// Full-text search over records with FTS5. A background loop updates its index.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { StoredRecord } from '../../model/record.ts'
import type { RecordQuery } from '../../model/record-query.ts'
import type { SearchStore } from '../../ports/service-stores.ts'
import { textOfRecord } from '../search-text.ts'
import type { Connection } from './connection.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'
import { type RecordRow, recordOf } from './records.ts'
import { filterSql, matchText } from './search-terms.ts'

export function searchStore({ connection, names }: Parts): SearchStore {
  return {
    async advance(limit) {
      if (newRecords(connection, 1).length === 0) return { indexed: 0, behind: false }
      // Checked again in the transaction, because another process may have indexed the records meanwhile.
      const indexed = connection.write(() => takeIn(connection, newRecords(connection, limit)), 'relaxed')
      return { indexed, behind: indexed === limit }
    },

    query: async query => find(connection, names, query),
  }
}

const newRecords = (connection: Connection, limit: number): Array<{ seq: number; data: string }> =>
  connection.all(
    'SELECT seq, data FROM records WHERE seq > (SELECT seq FROM search_state) ORDER BY seq LIMIT ?',
    limit,
  )

function takeIn(connection: Connection, rows: Array<{ seq: number; data: string }>): number {
  if (rows.length === 0) return 0
  const insert = connection.prepare('INSERT INTO record_words (rowid, text) VALUES (?, ?)')
  for (const { seq, data } of rows) insert.run(seq, textOfRecord(data))
  connection.run('UPDATE search_state SET seq = ?', rows.at(-1)!.seq)
  return rows.length
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
    // The number 0 matches no host.
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
