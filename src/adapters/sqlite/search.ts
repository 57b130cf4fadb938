// Full-text search over records with FTS5. A background loop updates its index.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { StoredRecord } from '../../model/record.ts'
import type { RecordQuery } from '../../model/record-query.ts'
import type { SearchStore } from '../../ports/service-stores.ts'
import { mostJsonLength, mostTextOfStep, textOfRecord } from '../search-text.ts'
import { shownRecord } from '../sql/records.ts'
import { searchStatement } from '../sql/search.ts'
import type { Sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import type { Parts } from './parts.ts'
import { searchForms } from './search-terms.ts'

export function searchStore({ connection }: Parts, sql: Sql): SearchStore {
  return {
    async advance(limit) {
      if (!hasNewer(connection, indexedUpTo(connection))) return { indexed: 0, behind: false }
      // `takeIn` reads the position again inside the transaction, because another process may have indexed these records
      // meanwhile.
      return connection.write(() => takeIn(connection, limit), 'relaxed')
    },

    query: query => find(connection, sql, query),
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

async function find(connection: Connection, sql: Sql, query: RecordQuery): Promise<StoredRecord[]> {
  const { text, values } = searchStatement(sql, searchForms, query)
  const newest = connection.one<{ seq: number | null }>('SELECT max(seq) AS seq FROM records')?.seq ?? 0
  const found: StoredRecord[] = []
  for (let before = Math.min(query.before ?? newest + 1, newest + 1); before > 0; before -= windowSize) {
    const bounds = [before, before - windowSize, query.limit - found.length]
    found.push(...(await sql.all<StoredRecord>(text, ...values, ...bounds)).map(shownRecord))
    if (found.length >= query.limit) break
    await letOthersRun()
  }
  return found
}
