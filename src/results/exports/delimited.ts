// CSV and TSV by RFC 4180, safe to open in a spreadsheet.
import type { Json, PageNote, RecordData, StoredRecord } from '../../model/record.ts'
import { pageNote } from './page-note.ts'
import type { TextFormat } from './text-format.ts'

export const pageColumns = [
  'url',
  'final_url',
  'status',
  'fetched_at',
  'task_id',
  'scraper',
  'item_id',
  'way',
  'why',
  'artifacts',
  'warnings',
] as const satisfies ReadonlyArray<keyof PageNote>

const isPageColumn = (name: string): boolean =>
  name.startsWith('_page_') && (pageColumns as readonly string[]).includes(name.slice('_page_'.length))

export function delimited(delimiter: ',' | '\t', columns: readonly string[]): TextFormat {
  const fields = columns.filter(name => !isPageColumn(name))
  const known = new Set(columns)
  const head = [...fields, ...pageColumns.map(name => `_page_${name}`)]
  return {
    head: delimitedLine(delimiter, head),
    row: record => {
      const data: RecordData = JSON.parse(record.data)
      if (!Object.keys(data).every(name => known.has(name) || isPageColumn(name))) return null
      return delimitedLine(delimiter, [...fields.map(name => data[name]), ...pageValues(record)])
    },
    between: '',
    tail: '',
  }
}

export const delimitedLine = (delimiter: ',' | '\t', values: ReadonlyArray<Json | undefined>): string =>
  `${values.map(cell).join(delimiter)}\r\n`

function pageValues(record: StoredRecord): Array<Json | undefined> {
  const note = pageNote(record)
  return pageColumns.map(name => note[name] as Json | undefined)
}

/** Nested values as JSON text, null as nothing. */
function cell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? disarm(value) : JSON.stringify(value)
  return /[",\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A cell that begins like this is run as a formula by spreadsheets (CVE-2021-41270), some of which read the wide forms too. Numbers never come this way.
const disarm = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)
