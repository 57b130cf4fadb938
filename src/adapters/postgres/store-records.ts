// Stores and counts new records. A repeated task never stores a record twice.
import type { Json, NewRecord } from '../../model/record.ts'
import type { BulkWrite, Gatherer } from './bulk-writes.ts'

interface TaskRecords {
  jobNo: number
  n: number
  records: readonly NewRecord[]
}

const columns = {
  job_no: 'bigint',
  n: 'bigint',
  idx: 'integer',
  status: 'integer',
  fetched_at: 'bigint',
  scraper: 'text',
  final_url: 'text',
  data: 'text',
  provenance: 'text',
  way: 'text',
} as const

const names = Object.keys(columns).join(', ')

export const keptRecords = {
  name: 'kept_records',
  columns,
  text: records =>
    `INSERT INTO records (${names}) SELECT ${names} FROM ${records} ORDER BY ord
     ON CONFLICT (job_no, n, idx) DO NOTHING RETURNING job_no`,
} satisfies BulkWrite

export function keepRecords(changes: Gatherer, tasks: TaskRecords[]): void {
  const rows = tasks.flatMap(({ jobNo, n, records }) => records.map(record => rowOf(jobNo, n, record)))
  if (rows.length > 0) changes.add(keptRecords, rows)
}

const rowOf = (jobNo: number, n: number, record: NewRecord): Record<keyof typeof columns, unknown> => ({
  job_no: jobNo,
  n,
  idx: record.index,
  status: record.status,
  fetched_at: record.fetchedAt,
  scraper: record.scraper,
  final_url: record.finalUrl,
  data: fitForJsonb(record.data),
  provenance: record.provenance,
  way: record.way,
})

/** Removes NUL and lone surrogates, which `jsonb` does not accept: views and searches would fail on them. */
function fitForJsonb(json: string): string {
  if (!json.includes('\\u0000') && !json.includes('\\ud')) return json
  return JSON.stringify(mapText(JSON.parse(json), text => text.replaceAll('\0', '').toWellFormed()))
}

function mapText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(one => mapText(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapText(inner, change)]),
  )
}
