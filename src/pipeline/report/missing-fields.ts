// Counts the fields of the rules that have no value in records. Many missing values mean that a selector is wrong or the site has
// changed.
import type { Job } from '../../model/job.ts'
import type { Json, RecordData } from '../../model/record.ts'
import type { RecordReader } from '../../ports/store.ts'
import { recordBatches } from '../../results/exports/record-batches.ts'

export interface MissingFields {
  /** How many records were checked. */
  records: number
  /** The fields that are missing most often first. */
  fields: Array<{ name: string; missing: number }>
}

/** How many records are checked. This is enough to see a problem. */
const mostRecords = 2_000

export async function missingFields(records: RecordReader, { id, spec }: Job): Promise<MissingFields | null> {
  if (spec.extract === undefined) return null
  const missing = new Map(Object.keys(spec.extract.fields).map(name => [name, 0]))
  let count = 0
  for await (const batch of recordBatches(records, id)) {
    for (const { data } of batch) {
      const fields = JSON.parse(data) as RecordData
      for (const [name, before] of missing) if (isEmpty(fields[name])) missing.set(name, before + 1)
    }
    count += batch.length
    if (count >= mostRecords) break
  }
  const fields = [...missing].filter(([, gaps]) => gaps > 0).map(([name, gaps]) => ({ name, missing: gaps }))
  return { records: count, fields: fields.toSorted((a, b) => b.missing - a.missing) }
}

export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
