// Writes JSON Lines, or one JSON array.
import type { TableShape } from '../../model/table-shape.ts'
import { recordJson } from './page-note.ts'
import type { TextFormat } from './text-format.ts'

export const jsonLines = ({ input }: TableShape): TextFormat => ({
  head: '',
  row: record => `${recordJson(record, input)}\n`,
  between: '',
  tail: '',
})

export const jsonArray = ({ input }: TableShape): TextFormat => ({
  head: '[\n',
  row: record => recordJson(record, input),
  between: ',\n',
  tail: '\n]\n',
})
