// Reads a job's records from the store in batches. Batches are limited by bytes, not only by count.
import type { StoredRecord } from '../../model/record.ts'
import type { RecordReader } from '../../ports/store.ts'

const targetBytes = 512 * 1024
const maxRecords = 2_000

interface RecordRange {
  /** Sequence number of the last record that was already read. */
  after?: number
  /** Sequence number of the last record to read. */
  until?: number
}

/** Records in the order in which they were committed. */
export async function* recordBatches(
  records: RecordReader,
  jobId: string,
  { after = 0, until = Number.MAX_SAFE_INTEGER }: RecordRange = {},
): AsyncGenerator<StoredRecord[]> {
  let limit = 100
  for (let seq = after; seq < until; ) {
    const found = await records.list(jobId, { after: seq, limit })
    const batch = found.filter(record => record.seq <= until)
    if (batch.length === 0) return
    yield batch
    seq = batch.at(-1)!.seq
    limit = nextLimit(batch)
  }
}

function nextLimit(batch: StoredRecord[]): number {
  const bytes = batch.reduce((sum, record) => sum + record.data.length + (record.input?.length ?? 0), 0)
  const fitting = Math.floor(targetBytes / (bytes / batch.length + 1))
  return Math.max(1, Math.min(maxRecords, fitting))
}
