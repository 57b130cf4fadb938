// Converts a record to its row and back.
import type { NewRecord } from '../../model/record.ts'

export interface RecordRow {
  seq: number
  job_no: number
  n: number
  idx: number
  status: number
  fetched_at: number
  scraper: string
  final_url: string
  data: string
  provenance: string | null
  way: string | null
}

export const recordOf = (row: RecordRow): NewRecord => ({
  index: row.idx,
  data: row.data,
  provenance: row.provenance,
  finalUrl: row.final_url,
  status: row.status,
  fetchedAt: row.fetched_at,
  scraper: row.scraper,
  way: row.way,
})
