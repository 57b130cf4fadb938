// A text format: what is written before, between and after records.
import type { StoredRecord } from '../../model/record.ts'

export interface TextFormat {
  head: string
  /** The text of a record. Null if it has a field for which the format has no column. */
  row: (record: StoredRecord) => string | null
  between: string
  tail: string
}
