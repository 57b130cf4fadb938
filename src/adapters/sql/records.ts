// Records as the shared stores read them, and the progress of re-extractions.
import { mostListedBytes } from '../../lib/listed-records.ts'
import { shownRow } from '../../model/hidden-row.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { RecordStore, Reextraction } from '../../ports/store.ts'
import { numberAt, run, type Sql, type Steps } from './sql.ts'

/** The SELECT list for a record `r`: the fields of `NewRecord`. */
export const newRecordColumns = ({ word }: Sql): string =>
  `r.idx AS "index", r.data, r.provenance, r.final_url AS "finalUrl", r.status, r.fetched_at AS "fetchedAt",
   ${word('r.scraper')} AS scraper, r.way`

/** The SELECT list for a record `r` with its job `j` and task `t`: the fields of `StoredRecord`. */
export const recordColumns = (sql: Sql): string =>
  `${newRecordColumns(sql)}, r.seq, j.id AS "jobId", r.n, t.url, t.item_id AS "itemId", t.input`

/** A record as results show it. If the job hides personal data, its input row is the masked copy. */
export const shownRecord = <Row extends StoredRecord>(row: Row): Row => ({
  ...row,
  ...shownRow(row.input, row.way),
})

/** SQL for the last record that fits into the byte limit. Uses stored sizes, so the texts are not read. Parameters: $1 the id of
 *  the job, $2 the record before, $3 the number of records. */
export const lastFitting = `SELECT max(seq) FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM (
  SELECT r.seq, octet_length(r.data) + coalesce(octet_length(t.input), 0) AS size
  FROM records r JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = ${numberAt('$1')} AND r.seq > $2 ORDER BY r.seq LIMIT $3) sizes) sums
  WHERE before < ${mostListedBytes}`

export const reextractionOf =
  (sql: Sql): RecordStore['reextraction'] =>
  async jobId => {
    const row = await sql.one<{ maker: string; after: number; done: string }>(
      `SELECT maker, after, done FROM reextractions WHERE job_no = ${numberAt('$1')}`,
      jobId,
    )
    return row && { ...row, done: JSON.parse(row.done) }
  }

/** Saves the progress of a re-extraction, with the replaced records. */
export function* saveReextraction(jobNo: number, progress: Reextraction | null): Steps<void> {
  // Reset the output files. Otherwise a process that continues a file would append the new records to the old ones.
  yield* run('UPDATE outputs SET seq = 0, bytes = 0, done = $2 WHERE job_no = $1', jobNo, false)
  yield* run('DELETE FROM reextractions WHERE job_no = $1', jobNo)
  if (progress === null) return
  const text = 'INSERT INTO reextractions (job_no, maker, after, done) VALUES ($1, $2, $3, $4)'
  yield* run(text, jobNo, progress.maker, progress.after, JSON.stringify(progress.done))
}
