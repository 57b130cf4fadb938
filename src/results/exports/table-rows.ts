// Converts a record to rows of a table. Nested objects become columns; money becomes an amount and a currency.
import { isObject, type JsonObject } from '../../model/json.ts'
import type { Json, RecordData, StoredRecord } from '../../model/record.ts'
import type { PageColumn, TableShape } from '../../model/table-shape.ts'
import { pageNote } from './page-note.ts'

/** Values by column key: a scalar, a list of scalars, or JSON. */
export type TableRow = Map<string, Json>

/** The part of a record from which a column comes. */
type ColumnSource = 'data' | 'input' | 'page'

/** Separator in column keys. No field name contains it. */
const separator = '\u001f'
/** Ends the key of a currency column. The amount has the key of the field. */
const currencyMark = '\u001e'

/** For example `data␟offers␟price`. A column has the same key in all records of a job. */
export const columnKey = (source: ColumnSource, ...path: string[]): string =>
  [source, ...path].join(separator)

export const currencyKey = (key: string): string => `${key}${currencyMark}`

interface ColumnPlace {
  source: ColumnSource
  path: string[]
  isCurrency: boolean
}

export function placeOfKey(key: string): ColumnPlace {
  const isCurrency = key.endsWith(currencyMark)
  const [source, ...path] = (isCurrency ? key.slice(0, -1) : key).split(separator)
  return { source: source as ColumnSource, path, isCurrency }
}

/** The key of the top-level field to which a column belongs. */
export function fieldKeyOf(key: string): string {
  const { source, path } = placeOfKey(key)
  return columnKey(source, path[0]!)
}

/** Whether a column is nested below another one. */
export const isBelow = (key: string, parent: string): boolean => key.startsWith(`${parent}${separator}`)

/** Returns one row, or one row for each element of the exploded list. Fields in `whole` stay JSON. */
export function rowsOf(
  record: StoredRecord,
  { input, explode, pageColumns }: TableShape,
  whole: ReadonlySet<string>,
): TableRow[] {
  const common: TableRow = new Map()
  if (input !== 'none' && record.input !== null)
    flattenFields(common, 'input', JSON.parse(record.input) as RecordData, whole)
  addPage(common, record, pageColumns)
  return exploded(JSON.parse(record.data) as RecordData, explode?.split('.') ?? []).map(data => {
    const row: TableRow = new Map()
    flattenFields(row, 'data', data, whole)
    for (const [key, value] of common) row.set(key, value)
    return row
  })
}

function flattenFields(
  row: TableRow,
  source: 'data' | 'input',
  fields: RecordData,
  whole: ReadonlySet<string>,
) {
  for (const name of Object.keys(fields)) {
    if (source === 'data' && (name === '_page' || name === '_input')) continue
    const key = columnKey(source, name)
    if (whole.has(key)) row.set(key, fields[name]!)
    else flatten(row, key, fields[name]!)
  }
}

function flatten(row: TableRow, key: string, value: Json): void {
  if (!isObject(value)) return void row.set(key, value)
  const names = Object.keys(value)
  if (names.length === 0) return void row.set(key, null)
  if (isMoney(value, names)) {
    row.set(key, value.amount!)
    return void row.set(currencyKey(key), value.currency!)
  }
  for (const name of names) flatten(row, key + separator + name, value[name]!)
}

const isMoney = (value: JsonObject, names: string[]): boolean =>
  names.length === 2 && typeof value.amount === 'number' && isText(value.currency)

const isText = (value: Json | undefined): boolean => value === null || typeof value === 'string'

/** An empty list yields one row without the element, so that no record is lost. */
function exploded(data: RecordData, path: string[]): RecordData[] {
  const [name, ...rest] = path
  const value = name === undefined ? undefined : data[name]
  if (name === undefined || value === undefined) return [data]
  if (Array.isArray(value) && rest.length === 0)
    return (value.length === 0 ? [null] : value).map(element => ({ ...data, [name]: element }))
  if (!isObject(value)) return [data]
  return exploded(value, rest).map(inner => ({ ...data, [name]: inner }))
}

function addPage(row: TableRow, record: StoredRecord, wanted: readonly PageColumn[]): void {
  const note = pageNote(record)
  for (const name of wanted) row.set(columnKey('page', name), (note[name] ?? null) as Json)
}
