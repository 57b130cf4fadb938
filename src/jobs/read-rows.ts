// Reads rows from text lines, CSV, TSV, JSON, JSON lines or Excel, in batches.

import { Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import { Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import { type Delimiter, type TableForm, tableFormOf } from './delimiter.ts'
import { arrayElements } from './json-array.ts'
import { type Line, linesOf, textChunks } from './lines.ts'
import type { RowSource } from './row-source.ts'
import { cut, type Row, type RowFormat, rowFormatOf, sniffedFormat } from './rows.ts'

/** Rows per batch. With larger batches, the store is written less often; smaller batches need less memory. */
const batchRows = 4_000

/** Reads the rows of a source. Excel files are recognized by their first bytes. For other files, the extension selects the
 *  format, or the first bytes if the extension is unknown. */
export async function* readRows(source: RowSource): AsyncGenerator<Row[]> {
  const binary = binaryFormat(await headOf(source))
  if (binary === 'xls') throw oldExcel(source.name)
  const named = rowFormatOf(source.name)
  if (binary === 'xlsx' || named === 'xlsx') yield* sheetRows(source)
  else yield* rowsIn(source, named ?? sniffedFormat(await firstText(source)))
}

function binaryFormat(head: Buffer): 'xlsx' | 'xls' | null {
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return 'xlsx'
  return head.readUInt32BE(0) === 0xd0cf11e0 ? 'xls' : null
}

/** The first four bytes of a source. A shorter source is filled with zeros. */
async function headOf(source: RowSource): Promise<Buffer> {
  const head = Buffer.alloc(4)
  try {
    for await (const chunk of source.open()) {
      chunk.copy(head)
      break
    }
  } catch {
    // Ignore the error: the row reader will get it too, and reports it.
  }
  return head
}

const oldExcel = (path: string): Failure =>
  new Failure(
    'input.invalid',
    `${path} is an Excel file in the old format (.xls) or with a password; save it as .xlsx or .csv`,
    { path },
  )

function rowsIn(source: RowSource, format: Exclude<RowFormat, 'xlsx'>): AsyncIterable<Row[]> {
  if (format === 'csv') return delimitedRows(source, ',')
  if (format === 'tsv') return delimitedRows(source, '\t')
  if (format === 'json') return lineRows(arrayElements(textChunks(source), source.name), jsonElement)
  return lineRows(linesOf(source), format === 'jsonl' ? jsonLine : textLine)
}

async function firstText(source: RowSource): Promise<string> {
  for await (const text of textChunks(source)) if (text !== '') return text
  return ''
}

async function* lineRows(
  source: AsyncIterable<Line[]>,
  rowOf: (line: Line, row: number) => Row,
): AsyncGenerator<Row[]> {
  let row = 0
  const batch: Row[] = []
  try {
    for await (const lines of source) {
      for (const line of lines) batch.push(rowOf(line, ++row))
      while (batch.length >= batchRows) yield batch.splice(0, batchRows)
    }
  } catch (error) {
    // Return the rows before the broken part first.
    if (batch.length > 0) yield batch.splice(0)
    throw error
  }
  if (batch.length > 0) yield batch
}

function textLine({ text, tooLong }: Line, row: number): Row {
  if (tooLong)
    return { row, is: 'bad', text: cut(text), reason: 'the line is longer than 1,000,000 characters' }
  const trimmed = unquoted(text.replace(/^\uFEFF/, '').trim())
  return trimmed === '' || trimmed.startsWith('#') ? { row, is: 'blank' } : { row, is: 'text', text: trimmed }
}

const unquoted = (text: string): string =>
  /^"(.*)"$|^'(.*)'$/
    .exec(text)
    ?.slice(1)
    .find(part => part !== undefined) ?? text

function jsonLine({ text, tooLong }: Line, row: number): Row {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  return trimmed === '' ? { row, is: 'blank' } : jsonElement({ text: trimmed, tooLong }, row)
}

function jsonElement({ text, tooLong }: Line, row: number): Row {
  if (tooLong)
    return { row, is: 'bad', text: cut(text), reason: 'the row is longer than 1,000,000 characters' }
  try {
    return jsonRow(JSON.parse(text), row)
  } catch {
    return { row, is: 'bad', text: cut(text), reason: 'not JSON' }
  }
}

function jsonRow(value: unknown, row: number): Row {
  if (typeof value === 'string') return { row, is: 'text', text: value.trim() }
  if (isObject(value)) return { row, is: 'object', value }
  return { row, is: 'bad', text: cut(JSON.stringify(value)), reason: 'neither a URL nor an object' }
}

/** The rows of a table. Its first line has the column names. Rows with more or fewer cells are rejected, and the following rows
 *  are still read. */
async function* delimitedRows(source: RowSource, usual: Delimiter): AsyncGenerator<Row[]> {
  const form = tableFormOf(await firstText(source), usual)
  let header: string[] | null = null
  const batch: Row[] = []
  try {
    for await (const { record, info } of cellsOf(source, form)) {
      if (header) batch.push(delimitedRow(header, record, info.lines, form.delimiter))
      else {
        header = columnNames(record)
        if (hasNoNames(record)) batch.push(delimitedRow(header, record, info.lines, form.delimiter))
      }
      if (batch.length >= batchRows) yield batch.splice(0)
    }
  } catch (cause) {
    if (batch.length > 0) yield batch.splice(0)
    if (cause instanceof Failure) throw cause
    const path = source.name
    throw new Failure('input.invalid', `${path}: ${(cause as Error).message}`, { path }, { cause })
  }
  if (batch.length > 0) yield batch
}

/** Whether the first line has no column names. If it contains a URL, it is already a row. */
const hasNoNames = (cells: string[]): boolean => cells.some(cell => /^\s*https?:\/\//i.test(cell))

const columnNames = (cells: string[]): string[] =>
  hasNoNames(cells)
    ? cells.map((_, index) => `column_${index + 1}`)
    : cells.map((name, index) => name.trim() || `column_${index + 1}`)

/** The rows of an Excel sheet. Its first row has the column names. Missing cells at the end of a row are empty. */
async function* sheetRows(source: RowSource): AsyncGenerator<Row[]> {
  const { readXlsx } = await import('./xlsx/read-xlsx.ts')
  let header: string[] | null = null
  const batch: Row[] = []
  for await (const rows of readXlsx(source)) {
    for (const { row, cells } of rows) {
      const isHead = header === null
      header ??= columnNames(cells)
      if (!isHead || hasNoNames(cells)) batch.push({ row, is: 'object', value: sheetRow(header, cells) })
    }
    if (batch.length >= batchRows) yield batch.splice(0)
  }
  if (batch.length > 0) yield batch
}

function sheetRow(header: string[], cells: string[]): Record<string, unknown> {
  const named = header.map((name, index) => [name, cells[index] ?? ''])
  const more = cells.slice(header.length).map((cell, index) => [`column_${header.length + index + 1}`, cell])
  return Object.fromEntries([...named, ...more.filter(([, cell]) => cell !== '')])
}

/** The cells of a table. The streams are composed, so that an error of the file ends the reading and not the process. */
function cellsOf(
  source: RowSource,
  { delimiter, skipLines }: TableForm,
): AsyncIterable<{ record: string[]; info: { lines: number } }> {
  const parser = parseCsv({
    delimiter,
    from_line: 1 + skipLines,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
    info: true,
    max_record_size: 1_000_000,
  })
  return Readable.from(textChunks(source)).compose(parser)
}

function delimitedRow(header: string[], cells: string[], row: number, delimiter: string): Row {
  if (cells.every(cell => cell.trim() === '')) return { row, is: 'blank' }
  if (cells.length !== header.length) {
    return {
      row,
      is: 'bad',
      text: cut(cells.join(delimiter)),
      reason: `has ${cells.length} cells, but the first line has ${header.length} columns`,
    }
  }
  return { row, is: 'object', value: Object.fromEntries(header.map((name, index) => [name, cells[index]!])) }
}
