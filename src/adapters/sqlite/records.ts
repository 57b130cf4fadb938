// Records, in the order in which they were committed.
import type { StoredRecord } from '../../model/record.ts'
import type { RecordStore } from '../../ports/store.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'

interface RecordRow {
  seq: number
  n: number
  idx: number
  status: number
  fetched_at: number
  scraper: number
  final_url: string
  data: string
  provenance: string | null
  url: string
  item_id: string | null
}

const recordColumns = `r.seq, r.n, r.idx, r.status, r.fetched_at, r.scraper, r.final_url, r.data, r.provenance,
  t.url, t.item_id FROM records r JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = (SELECT job_no FROM jobs WHERE id = ?)`

export function recordStore({ connection, names }: Parts): RecordStore {
  return {
    async list(jobId, { after, limit }) {
      const text = `SELECT ${recordColumns} AND r.seq > ? ORDER BY r.seq LIMIT ?`
      return connection.all<RecordRow>(text, jobId, after, limit).map(row => recordOf(jobId, row, names))
    },

    async ofTask(jobId, n) {
      const text = `SELECT ${recordColumns} AND r.n = ? ORDER BY r.idx`
      return connection.all<RecordRow>(text, jobId, n).map(row => recordOf(jobId, row, names))
    },
  }
}

function recordOf(jobId: string, row: RecordRow, names: Names): StoredRecord {
  return {
    seq: row.seq,
    jobId,
    n: row.n,
    index: row.idx,
    url: row.url,
    finalUrl: row.final_url,
    itemId: row.item_id,
    status: row.status,
    fetchedAt: row.fetched_at,
    scraper: names.textOf(row.scraper),
    data: row.data,
    provenance: row.provenance,
  }
}
