// Writes CSV and TSV by RFC 4180. The files are safe to open in a spreadsheet.
import type { Json } from '../../model/record.ts'
import { cellText } from './cell-text.ts'
import type { Table } from './table.ts'
import type { TextFormat } from './text-format.ts'

export function delimited(delimiter: ',' | '\t', table: Table): TextFormat {
  return {
    head: delimitedLine(
      delimiter,
      table.columns.map(({ name }) => name),
    ),
    row: record =>
      table
        .rows(record)
        ?.map(values => delimitedLine(delimiter, values))
        .join('') ?? null,
    between: '',
    tail: '',
  }
}

export const delimitedLine = (delimiter: ',' | '\t', values: ReadonlyArray<Json | undefined>): string =>
  `${values.map(cell).join(delimiter)}\r\n`

function cell(value: Json | undefined): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = disarm(cellText(value))
  return /[",\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// Spreadsheets run a cell as a formula if it starts with one of these characters (CVE-2021-41270). Some also accept the
// full-width forms. Numbers are written unchanged.
const disarm = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
