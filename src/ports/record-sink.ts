// RecordSink: an external system that receives records in batches. It reports refusals per record.
import type { StoredRecord } from '../model/record.ts'

export interface SinkRecord extends StoredRecord {
  workspace: string
  host: string
}

/** The outcome of one record. `dead`: the sink will never accept the record. `later`: send the record again. */
export type Sent = { is: 'taken' } | { is: 'dead'; reason: string } | { is: 'later'; reason: string }

export interface RecordSink {
  /**
   * Returns one outcome per record, in order. Rejects with a Failure if no outcome is known. The caller then sends all records
   * again; ids make this idempotent.
   */
  send(records: readonly SinkRecord[], signal: AbortSignal): Promise<Sent[]>
}
