// Reads and checks recordings of users and the rows for them, before anything runs.
import { readRows } from '../../jobs/read-rows.ts'
import { type ReadRecording, readRecording } from '../../jobs/recording-actions.ts'
import { fileSource } from '../../jobs/row-source.ts'
import { suggest } from '../../lib/text/suggest.ts'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'
import { startUrlOf } from '../../model/page/actions.ts'
import { readTemplate } from '../../model/page/templates.ts'

export type { Parameter } from '../../jobs/parameters.ts'
export type { ReadRecording } from '../../jobs/recording-actions.ts'

export function readRecordingFile(path: string): ReadRecording {
  return readRecording(parsed(readTextFile(path), path), path)
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const reason = (cause as Error).message
    const message = `${path} is not JSON (${reason}); in Chrome's recorder, export as "JSON file"`
    throw new Failure('input.invalid', message, { path }, { cause })
  }
}

/** The URL of the first page. Throws if there is no such URL, or if it is a template, because no row supplies its
 *  values. */
export function startOf({ actions }: ReadRecording, path: string): string {
  const url = startUrlOf(actions)
  if (url) return url
  const message = `${path} has no start page: its first step must navigate to an http or https URL; if that URL contains columns, pass their rows with --rows`
  throw new Failure('input.invalid', message, { path })
}

/** Columns that the rows of every job may have: the item id and the URL. */
const usualColumns = ['item_id', 'url']

/** Throws if a column looks like a misspelt parameter. Otherwise the recorded value would silently be used instead. */
export async function checkColumns(rows: string, { actions, parameters }: ReadRecording): Promise<void> {
  const known = [...parameters.map(({ name }) => name), ...columnsIn(actions)]
  const columns = await columnsOf(rows)
  const others = columns.filter(column => !known.includes(column) && !usualColumns.includes(column))
  const isUsed = columns.some(column => known.includes(column))
  // If at least one column is a parameter, other columns are allowed and only appear in the records. A column is refused if
  // it looks like a misspelt parameter that has no column.
  const missing = known.filter(name => !columns.includes(name))
  const unknown = isUsed ? others.filter(column => suggest(column, missing) !== null) : others
  if (unknown.length === 0) return
  const lines = unknown.map(column => {
    const meant = suggest(column, known)
    return `"${column}"${meant ? ` (did you mean "${meant}"?)` : ''}`
  })
  const there = known.length > 0 ? `it takes ${[...new Set(known)].join(', ')}` : 'it takes none'
  throw new Failure(
    'input.invalid',
    `${rows}: the recording has no parameter ${lines.join(', ')}; ${there}`,
    {
      unknown,
    },
  )
}

/** The columns of the first row. All rows of a table have the same columns. */
async function columnsOf(rows: string): Promise<string[]> {
  for await (const batch of readRows(fileSource(rows))) {
    const first = batch.find(({ is }) => is === 'object' || is === 'text')
    if (first?.is === 'object') return Object.keys(first.value)
    if (first?.is === 'text')
      throw new Failure('input.invalid', `${rows} has no columns: rows come as .csv, .tsv, .json or .jsonl`, {
        rows,
      })
  }
  throw new Failure('input.invalid', `${rows} has no row`, { rows })
}

/** The columns that templates in the actions name, at any depth. */
function columnsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const parts = readTemplate(value)
    return typeof parts === 'string' ? [] : parts.flatMap(part => (part.is === 'row' ? [part.name] : []))
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(columnsIn) : []
}
