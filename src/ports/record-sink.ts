// RecordSink: a place that records are sent to as well, in batches. What it would not take is said record by record.
import type { StoredRecord } from '../model/record.ts'

export interface SinkRecord extends StoredRecord {
  workspace: string
  host: string
}

/** `dead`: it will never be taken as it is. `later`: to be sent again. */
export type Sent = { is: 'taken' } | { is: 'dead'; reason: string } | { is: 'later'; reason: string }

export interface RecordSink {
  /**
   * One answer for each record, in their order. Rejects with a Failure when nothing is known of any of them: all may be sent again,
   * since a record has one name there however often it comes.
   */
  send(records: readonly SinkRecord[], signal: AbortSignal): Promise<Sent[]>
}
