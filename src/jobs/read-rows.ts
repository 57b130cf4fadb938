// Reads rows from a file of lines, CSV, TSV, JSON or JSON lines, in batches, whatever its size.
import { Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import { Failure } from '../model/failures.ts'
import { type Line, linesOf, textChunks } from './lines.ts'
import { cut, type Row, type RowFormat } from './rows.ts'

/** A JSON array is read whole; larger ones are better off as JSON lines. */
const maxJsonLength = 256_000_000
/** Larger batches rewrite fewer pages of the seen-set, smaller ones keep less in memory. */
const batchRows = 4_000

export function readRows(path: string, format: RowFormat): AsyncIterable<Row[]> {
  if (format === 'csv') return delimitedRows(path, ',')
  if (format === 'tsv') return delimitedRows(path, '\t')
  if (format === 'json') return jsonRows(path)
  return lineRows(path, format === 'jsonl' ? jsonLine : textLine)
}

async function* lineRows(path: string, rowOf: (line: Line, row: number) => Row): AsyncGenerator<Row[]> {
  let row = 0
  const batch: Row[] = []
  try {
    for await (const lines of linesOf(path)) {
      for (const line of lines) batch.push(rowOf(line, ++row))
      while (batch.length >= batchRows) yield batch.splice(0, batchRows)
    }
  } catch (error) {
    // What stands before the place where a file breaks off is as good as any row.
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
  if (tooLong)
    return { row, is: 'bad', text: cut(text), reason: 'the line is longer than 1,000,000 characters' }
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed === '') return { row, is: 'blank' }
  try {
    return jsonRow(JSON.parse(trimmed), row)
  } catch {
    return { row, is: 'bad', text: cut(trimmed), reason: 'not JSON' }
  }
}

function jsonRow(value: unknown, row: number): Row {
  if (typeof value === 'string') return { row, is: 'text', text: value.trim() }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { row, is: 'object', value: value as Record<string, unknown> }
  return { row, is: 'bad', text: cut(JSON.stringify(value)), reason: 'neither a URL nor an object' }
}

async function* jsonRows(path: string): AsyncGenerator<Row[]> {
  let text = ''
  for await (const chunk of textChunks(path)) {
    text += chunk
    if (text.length > maxJsonLength)
      throw new Failure(
        'input.invalid',
        `${path} is over 256 MB of JSON; give it as JSON lines (.jsonl), one row per line`,
        { path },
      )
  }
  const values = parseArray(text, path)
  for (let start = 0; start < values.length; start += batchRows)
    yield values.slice(start, start + batchRows).map((value, index) => jsonRow(value, start + index + 1))
}

function parseArray(text: string, path: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (Array.isArray(value)) return value
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${path} is not JSON: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
  throw new Failure('input.invalid', `${path} holds no array of rows`, { path })
}

/** Columns are named by the first line. A row with too few or too many cells is reported, and the rest go on. */
async function* delimitedRows(path: string, delimiter: string): AsyncGenerator<Row[]> {
  let header: string[] | null = null
  const batch: Row[] = []
  try {
    for await (const { record, info } of cellsOf(path, delimiter)) {
      if (header) batch.push(delimitedRow(header, record, info.lines))
      else header = record.map(name => name.trim())
      if (batch.length >= batchRows) yield batch.splice(0)
    }
  } catch (cause) {
    if (batch.length > 0) yield batch.splice(0)
    if (cause instanceof Failure) throw cause
    throw new Failure('input.invalid', `${path}: ${(cause as Error).message}`, { path }, { cause })
  }
  if (batch.length > 0) yield batch
}

/** Composed, not piped: what goes wrong with the file then ends the reading instead of the process. */
function cellsOf(
  path: string,
  delimiter: string,
): AsyncIterable<{ record: string[]; info: { lines: number } }> {
  const parser = parseCsv({
    delimiter,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: false,
    info: true,
    max_record_size: 1_000_000,
  })
  return Readable.from(textChunks(path)).compose(parser)
}

function delimitedRow(header: string[], cells: string[], row: number): Row {
  if (cells.every(cell => cell.trim() === '')) return { row, is: 'blank' }
  if (cells.length !== header.length) {
    return {
      row,
      is: 'bad',
      text: cut(cells.join(',')),
      reason: `has ${cells.length} cells where the first line names ${header.length} columns`,
    }
  }
  return { row, is: 'object', value: Object.fromEntries(header.map((name, index) => [name, cells[index]!])) }
}
