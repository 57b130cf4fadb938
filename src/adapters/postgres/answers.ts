// Cached responses: facts about the request, and a reference to the records of its task.
import type { KnownAnswer, NewAnswer } from '../../model/page/answer.ts'
import type { AnswerStore } from '../../ports/store.ts'
import type { BulkWrite, Gatherer } from './bulk-writes.ts'
import type { Database, Queries } from './database.ts'
import { type RecordRow, recordOf } from './record-rows.ts'
import { rowsTable } from './rows.ts'

interface AnswerRow {
  key: string
  job_no: number
  n: number
  checked_at: number
  etag: string | null
  last_modified: string | null
  body_key: string | null
  raw_key: string | null
  raw_offset: number
  raw_length: number
}

export function answerStore(database: Database): AnswerStore {
  return {
    async find(keys) {
      // The join excludes responses of deleted jobs. Their rows are deleted a moment later.
      const rows = await database.all<AnswerRow>(
        `SELECT a.*, raw.raw_key, raw.raw_offset, raw.raw_length FROM answers a JOIN jobs j ON j.job_no = a.job_no
         LEFT JOIN LATERAL (
           SELECT raw_key, raw_offset, raw_length FROM attempts
           WHERE job_no = a.job_no AND n = a.n AND raw_key IS NOT NULL ORDER BY attempt DESC LIMIT 1
         ) raw ON true
         WHERE a.key = ANY($1::text[])`,
        keys,
      )
      const records = await recordsOf(database, rows)
      return new Map(rows.map(row => [row.key, knownOf(row, records.get(`${row.job_no}.${row.n}`) ?? [])]))
    },
  }
}

async function recordsOf(queries: Queries, answers: AnswerRow[]): Promise<Map<string, RecordRow[]>> {
  if (answers.length === 0) return new Map()
  const wanted = rowsTable('r', { job_no: 'bigint', n: 'bigint' }, answers)
  const rows = await queries.all<RecordRow>(
    `SELECT records.* FROM ${wanted.sql} JOIN records ON records.job_no = r.job_no AND records.n = r.n ORDER BY idx`,
    ...wanted.values,
  )
  return Map.groupBy(rows, row => `${row.job_no}.${row.n}`)
}

const knownOf = (row: AnswerRow, records: RecordRow[]): KnownAnswer => ({
  key: row.key,
  checkedAt: row.checked_at,
  etag: row.etag,
  lastModified: row.last_modified,
  bodyKey: row.body_key,
  raw: row.raw_key === null ? null : { key: row.raw_key, offset: row.raw_offset, length: row.raw_length },
  records: records.map(recordOf),
})

const columns = {
  key: 'text',
  job_no: 'bigint',
  n: 'bigint',
  checked_at: 'bigint',
  etag: 'text',
  last_modified: 'text',
  body_key: 'text',
} as const
const names = Object.keys(columns)

const keptAnswers = {
  name: 'kept_answers',
  columns,
  text: answers =>
    `INSERT INTO answers (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${answers} ORDER BY key
     ON CONFLICT (key) DO UPDATE SET ${names.map(name => `${name} = excluded.${name}`).join(', ')}`,
} satisfies BulkWrite

/** Stores the response of a request. A later response replaces an earlier one. */
export function keepAnswers(
  changes: Gatherer,
  answers: Array<{ jobNo: number; n: number; answer: NewAnswer }>,
): void {
  if (answers.length === 0) return
  const latest = new Map(answers.map(one => [one.answer.key, one]))
  const rows = [...latest.values()].map(({ jobNo, n, answer }) => ({
    key: answer.key,
    job_no: jobNo,
    n,
    checked_at: answer.checkedAt,
    etag: answer.etag,
    last_modified: answer.lastModified,
    body_key: answer.bodyKey,
  }))
  changes.add(keptAnswers, rows)
}
