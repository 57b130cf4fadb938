// The data of a records table: sorted rows, short URLs, and a CSV export of the view.
import type { RecordResult } from '../../api.ts'
import { cell } from '../../format.ts'

export type Row = Omit<RecordResult, 'status'>

const inputPrefix = '_input.'

export const isInput = (field: string): boolean => field.startsWith(inputPrefix)

/** The columns of the input row come first, named as in exports. The URL of the row is a column of its own. */
export function withInput<Entry extends Row>(row: Entry): Entry {
  const columns = Object.entries(row.input ?? {}).filter(([name]) => name !== 'url')
  const input = Object.fromEntries(columns.map(([name, value]) => [`${inputPrefix}${name}`, value]))
  return { ...row, data: { ...input, ...row.data } }
}

export interface Sorting {
  field: string
  isDown: boolean
}

/** Sorts numbers and money by amount, and other values by text. Missing values are last in both directions. */
export function sorted<Entry extends Row>(rows: readonly Entry[], sorting: Sorting | null): readonly Entry[] {
  if (!sorting) return rows
  const { field, isDown } = sorting
  const keyed = rows.map(row => ({ row, key: keyOf(row.data[field]) }))
  keyed.sort((one, other) => {
    if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null)
    return (isDown ? -1 : 1) * compared(one.key, other.key)
  })
  return keyed.map(({ row }) => row)
}

type Key = number | string

function keyOf(value: unknown): Key | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
  const { amount } = value as { amount?: unknown }
  return typeof amount === 'number' ? amount : cell(value)
}

const inOrder = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const compared = (one: Key, other: Key): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : inOrder.compare(String(one), String(other))

/** The rows as CSV, as they are shown. A cell that a spreadsheet would run as a formula is written as text. */
export function csvOf(fields: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map(row => [row.url, ...fields.map(field => cell(row.data[field]))])
  return [['url', ...fields], ...lines].map(line => line.map(quoted).join(',')).join('\r\n')
}

const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const comparisons = [
  ['contains', 'contains'],
  ['eq', 'is'],
  ['ne', 'is not'],
  ['lt', 'is less than'],
  ['gt', 'is more than'],
] as const
