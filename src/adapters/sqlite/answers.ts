// Stores cached responses.
import type { NewAnswer } from '../../model/page/answer.ts'
import type { Parts } from './parts.ts'

/** Stores the response of a request. A later response replaces an earlier one. */
export function answerKeeper({ connection }: Parts): (jobNo: number, n: number, answer: NewAnswer) => void {
  const put = connection.prepare(
    `INSERT OR REPLACE INTO answers (key, job_no, n, checked_at, etag, last_modified, body_key)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return (jobNo, n, { key, checkedAt, etag, lastModified, bodyKey }) =>
    void put.run(key, jobNo, n, checkedAt, etag, lastModified, bodyKey)
}
