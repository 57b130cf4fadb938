// Cached responses: facts about the request, and a reference to the records of its task.
import type { KnownAnswer } from '../../model/page/answer.ts'
import type { NewRecord } from '../../model/record.ts'
import type { AnswerStore } from '../../ports/store.ts'
import { newRecordColumns } from './records.ts'
import { rowsText, type Sql } from './sql.ts'

interface AnswerRow extends Omit<KnownAnswer, 'raw' | 'records'> {
  job_no: number
  n: number
  raw_key: string | null
  offset: number
  length: number
}

export function answerStore(sql: Sql): AnswerStore {
  // The join with jobs excludes responses of deleted jobs. Their rows are deleted a moment later.
  const text = `SELECT a.key, a.checked_at AS "checkedAt", a.etag, a.last_modified AS "lastModified", a.body_key AS "bodyKey",
      a.job_no, a.n, ${sql.word('p.raw_key')} AS raw_key, p.raw_offset AS "offset", p.raw_length AS length
    FROM answers a JOIN jobs j ON j.job_no = a.job_no
    LEFT JOIN attempts p ON p.job_no = a.job_no AND p.n = a.n AND p.attempt = (
      SELECT max(attempt) FROM attempts WHERE job_no = a.job_no AND n = a.n AND raw_key IS NOT NULL
    ) WHERE ${sql.among('a.key', '$1')}`
  return {
    async find(keys) {
      const rows = await sql.all<AnswerRow>(text, keys)
      const records = rows.length === 0 ? new Map() : await recordsOf(sql, rows)
      return new Map(rows.map(row => [row.key, knownOf(row, records.get(`${row.job_no}.${row.n}`) ?? [])]))
    },
  }
}

type RecordOfTask = NewRecord & { job_no: number; n: number }

async function recordsOf(sql: Sql, answers: AnswerRow[]): Promise<Map<string, RecordOfTask[]>> {
  const tasks = sql.rows('$1', 'w', { job_no: 'bigint', n: 'bigint' })
  const rows = await sql.all<RecordOfTask>(
    `SELECT ${newRecordColumns(sql)}, r.job_no, r.n FROM records r
     WHERE (r.job_no, r.n) IN (SELECT w.job_no, w.n FROM ${tasks}) ORDER BY r.idx`,
    rowsText(answers.map(({ job_no, n }) => ({ job_no, n }))),
  )
  return Map.groupBy(rows, row => `${row.job_no}.${row.n}`)
}

const knownOf = (
  { job_no: _job, n: _n, raw_key: key, offset, length, ...answer }: AnswerRow,
  records: RecordOfTask[],
): KnownAnswer => ({
  ...answer,
  raw: key === null ? null : { key, offset, length },
  records: records.map(({ job_no: _job, n: _n, ...record }) => record),
})
