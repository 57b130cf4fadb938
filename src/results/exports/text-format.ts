// Formats that are text, record after record: what stands before, between and after them.
import type { StoredRecord } from '../../model/record.ts'

export interface TextFormat {
  head: string
  /** Null: the record has a field the format was not prepared for. */
  row: (record: StoredRecord) => string | null
  between: string
  tail: string
}
