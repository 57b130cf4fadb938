// Stores cached responses.
import type { NewAnswer } from '../../model/page/answer.ts'
import type { BulkWrite, Gatherer } from './bulk-writes.ts'

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
