// What a row asks for: a URL to fetch, or an input for a scraper; or why it can't be either.
import { issueLines, type StandardSchema } from '../model/standard-schema.ts'
import { cut, type Row } from './rows.ts'

/** A row that became something to do. */
export interface RowTask {
  row: number
  url: string | null
  /** The whole row as JSON; null when the URL is all there is. */
  input: string | null
  itemId: string | null
}

export interface RowReading {
  /** The column (or key) that holds the URL; found by name when not given. */
  urlColumn: string | undefined
  /** What a scraper asks of its input; null when a URL is enough. */
  input: StandardSchema | null
  /** Whether a row may go without a URL: the scraper finds its own way. */
  urlOptional: boolean
}

export type RowResult =
  | { is: 'task'; task: RowTask }
  | { is: 'blank' }
  | { is: 'rejected'; row: number; text: string; reason: string }

const urlNames = ['url', 'link', 'href', 'uri', 'website', 'page', 'address']

export function taskOfRow(row: Row, reading: RowReading): RowResult {
  if (row.is === 'blank') return { is: 'blank' }
  if (row.is === 'bad') return { is: 'rejected', row: row.row, text: row.text, reason: row.reason }
  if (row.is === 'text')
    return { is: 'task', task: { row: row.row, url: row.text, input: null, itemId: null } }
  return objectRow(row.row, row.value, reading)
}

function objectRow(row: number, value: Record<string, unknown>, reading: RowReading): RowResult {
  const reject = (reason: string): RowResult => ({
    is: 'rejected',
    row,
    text: cut(JSON.stringify(value)),
    reason,
  })
  const column = reading.urlColumn ?? urlColumnOf(value)
  const url = column === undefined ? undefined : value[column]
  if (!reading.urlOptional && (typeof url !== 'string' || url.trim() === ''))
    return reject(
      column === undefined
        ? 'no column holds a URL; name it with --url-column'
        : `column "${column}" holds no URL`,
    )
  const wrong = reading.input ? problemsWith(reading.input, value) : null
  if (wrong) return reject(wrong)
  const itemId = typeof value.item_id === 'string' ? value.item_id : null
  return {
    is: 'task',
    task: { row, url: typeof url === 'string' ? url.trim() : null, input: JSON.stringify(value), itemId },
  }
}

function urlColumnOf(value: Record<string, unknown>): string | undefined {
  const names = Object.keys(value)
  return (
    names.find(name => urlNames.includes(name.toLowerCase())) ??
    names.find(name => /^https?:\/\//.test(String(value[name])))
  )
}

function problemsWith(schema: StandardSchema, value: unknown): string | null {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise)
    return 'the input schema of the scraper is asynchronous, which rows can’t wait for'
  return result.issues ? issueLines(result.issues).join('; ') : null
}
