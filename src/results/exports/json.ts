// JSON Lines and one JSON array.
import { recordJson } from './page-note.ts'
import type { TextFormat } from './text-format.ts'

export const jsonLines: TextFormat = {
  head: '',
  row: record => `${recordJson(record)}\n`,
  between: '',
  tail: '',
}

export const jsonArray: TextFormat = { head: '[\n', row: recordJson, between: ',\n', tail: '\n]\n' }
