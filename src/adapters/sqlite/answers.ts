// Cached responses: facts about the request, and a reference to the records of its task.
import type { KnownAnswer, NewAnswer } from '../../model/page/answer.ts'
import type { NewRecord } from '../../model/record.ts'
import type { AnswerStore } from '../../ports/store.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'

interface AnswerRow {
  key: string
  job_no: number
  n: number
  checked_at: number
  etag: string | null
  last_modified: string | null
  body_key: string | null
}

export function answerStore(parts: Parts): AnswerStore {
  const { connection } = parts
  // Excludes responses of deleted jobs. Their rows are deleted a moment later.
  const find = connection.prepare(
    `SELECT a.* FROM answers a WHERE a.key = ? AND EXISTS (SELECT 1 FROM jobs j WHERE j.job_no = a.job_no)`,
  )
  const known = answerReader(parts)
  return {
    async find(keys) {
      const rows = keys.map(key => find.get(key) as AnswerRow | undefined).filter(row => row !== undefined)
      return new Map(rows.map(row => [row.key, known(row)]))
    },
  }
}

/** Stores the response of a request. A later response replaces an earlier one. */
export function answerKeeper({ connection }: Parts): (jobNo: number, n: number, answer: NewAnswer) => void {
  const put = connection.prepare(
    `INSERT OR REPLACE INTO answers (key, job_no, n, checked_at, etag, last_modified, body_key)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return (jobNo, n, { key, checkedAt, etag, lastModified, bodyKey }) =>
    void put.run(key, jobNo, n, checkedAt, etag, lastModified, bodyKey)
}

interface RawRow {
  raw_key: number
  raw_offset: number
  raw_length: number
}

function answerReader({ connection, names }: Parts): (row: AnswerRow) => KnownAnswer {
  const lastRaw = connection.prepare(
    `SELECT raw_key, raw_offset, raw_length FROM attempts
     WHERE job_no = ? AND n = ? AND raw_key IS NOT NULL ORDER BY attempt DESC LIMIT 1`,
  )
  const records = connection.prepare('SELECT * FROM records WHERE job_no = ? AND n = ? ORDER BY idx')
  return row => {
    const raw = lastRaw.get(row.job_no, row.n) as RawRow | undefined
    return {
      key: row.key,
      checkedAt: row.checked_at,
      etag: row.etag,
      lastModified: row.last_modified,
      bodyKey: row.body_key,
      raw: raw ? { key: names.textOf(raw.raw_key), offset: raw.raw_offset, length: raw.raw_length } : null,
      records: (records.all(row.job_no, row.n) as unknown as RecordRow[]).map(one => recordOf(one, names)),
    }
  }
}

interface RecordRow {
  idx: number
  status: number
  fetched_at: number
  scraper: number
  final_url: string
  data: string
  provenance: string | null
  way: string | null
}

const recordOf = (row: RecordRow, names: Names): NewRecord => ({
  index: row.idx,
  data: row.data,
  provenance: row.provenance,
  finalUrl: row.final_url,
  status: row.status,
  fetchedAt: row.fetched_at,
  scraper: names.textOf(row.scraper),
  way: row.way,
})
