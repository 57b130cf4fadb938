// Text formats: what is written before, between and after records.
import type { StoredRecord } from '../../model/record.ts'

export interface TextFormat {
  head: string
  /** Null: the record has a field the format was not prepared for. */
  row: (record: StoredRecord) => string | null
  between: string
  tail: string
}
