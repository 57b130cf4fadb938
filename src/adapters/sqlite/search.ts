// Full-text search over records on SQLite's FTS5, which follows the records at its own pace.
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
      const { seq: after } = connection.one<{ seq: number }>('SELECT seq FROM search_state')!
      const rows = connection.all<{ seq: number; data: string }>(
        'SELECT seq, data FROM records WHERE seq > ? ORDER BY seq LIMIT ?',
        after,
        limit,
      )
      if (rows.length > 0) connection.write(() => takeIn(connection, rows), 'relaxed')
      return { indexed: rows.length, behind: rows.length === limit }
    },

    async rebuild() {
      connection.write(() => {
        connection.run('UPDATE search_state SET seq = 0')
        connection.run(`INSERT INTO record_words (record_words) VALUES ('delete-all')`)
      })
    },

    query: async query => find(connection, names, query),
  }
}

function takeIn(connection: Connection, rows: Array<{ seq: number; data: string }>): void {
  const insert = connection.prepare('INSERT INTO record_words (rowid, text) VALUES (?, ?)')
  for (const { seq, data } of rows) insert.run(seq, textOfRecord(data))
  connection.run('UPDATE search_state SET seq = ?', rows.at(-1)!.seq)
}

function find(connection: Connection, names: Names, query: RecordQuery) {
  const { sql, values } = queryOf(names, query)
  const rows = connection.all<RecordRow & { job_id: string }>(sql, ...values)
  return rows.map(row => recordOf(row.job_id, row, names))
}

function queryOf(names: Names, query: RecordQuery) {
  const match = query.text === undefined ? null : matchText(query.text)
  const conditions = [...(match === null ? [] : [{ sql: 'w.record_words MATCH ?', values: [match] }])]
  const where = [...conditions, ...plainConditions(names, query), ...(query.filters ?? []).map(filterSql)]
  const source = match === null ? 'records r' : 'record_words w CROSS JOIN records r ON r.seq = w.rowid'
  const sql = `SELECT r.*, j.id AS job_id, t.url, t.item_id FROM ${source}
    JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
    WHERE ${where.map(condition => condition.sql).join(' AND ')} ORDER BY ${match === null ? 'r.seq' : 'w.rowid'} DESC LIMIT ?`
  return { sql, values: [...where.flatMap(condition => condition.values), query.limit] }
}

function plainConditions(names: Names, query: RecordQuery) {
  const { workspace, before, jobId, host, scraper } = query
  const when = (isAsked: boolean, sql: string, ...values: Array<string | number>) =>
    isAsked ? [{ sql, values }] : []
  return [
    { sql: 'j.workspace = ?', values: [workspace] },
    ...when(before !== undefined, 'r.seq < ?', before ?? 0),
    ...when(jobId !== undefined, 'j.id = ?', jobId ?? ''),
    // 0 is nobody's number: a host that no task ever had.
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
