// The text of a table cell. CSV, TSV and XLSX write the same text.
import type { Json } from '../../model/record.ts'

/** Separator between the values of a list. */
const between = '; '

/** Null becomes an empty text, lists of scalars are joined, and other nested values become JSON. */
export function cellText(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  return isPlainList(value) ? joined(value) : JSON.stringify(value)
}

export const isPlainList = (value: Json): value is Array<Exclude<Json, object>> =>
  Array.isArray(value) && value.every(element => element === null || typeof element !== 'object')

const joined = (list: Json[]): string =>
  list
    .filter(element => element !== null)
    .map(String)
    .join(between)
