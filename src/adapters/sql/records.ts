// Columns of records, as the shared stores read them.
import { shownRow } from '../../model/hidden-row.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Sql } from './sql.ts'

/** The SELECT list for a record `r`: the fields of `NewRecord`. */
export const newRecordColumns = ({ word }: Sql): string =>
  `r.idx AS "index", r.data, r.provenance, r.final_url AS "finalUrl", r.status, r.fetched_at AS "fetchedAt",
   ${word('r.scraper')} AS scraper, r.way`

/** The SELECT list for a record `r` with its job `j` and task `t`: the fields of `StoredRecord`. */
export const recordColumns = (sql: Sql): string =>
  `${newRecordColumns(sql)}, r.seq, j.id AS "jobId", r.n, t.url, t.item_id AS "itemId", t.input`

/** A record as results show it: with the row that its job shows. */
export const shownRecord = <Row extends StoredRecord>(row: Row): Row => ({
  ...row,
  ...shownRow(row.input, row.way),
})
