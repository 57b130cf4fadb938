// The text of a cell: the same in CSV, TSV and XLSX.
import type { Json } from '../../model/record.ts'

/** Lists are joined by this. */
const between = '; '

/** Null is empty, lists of scalars are joined, other nested values are JSON. */
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
