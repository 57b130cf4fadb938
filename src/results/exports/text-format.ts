// A text format: the texts before, between and after records, and the text of each record.
import type { StoredRecord } from '../../model/record.ts'

export interface TextFormat {
  head: string
  /** The text of a record. Null if the record has a field for which the format has no column. */
  row: (record: StoredRecord) => string | null
  between: string
  tail: string
}
