// The table of an export: its named columns in order, and the values of each record.
import type { Json, StoredRecord } from '../../model/record.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { inputName } from './page-note.ts'
import { columnKey, fieldKeyOf, isBelow, placeOfKey, rowsOf, type TableRow } from './table-rows.ts'

/** The common type of a column's values. `json` is for nested values. */
export type ColumnKind = 'null' | 'boolean' | 'integer' | 'number' | 'text' | 'date' | 'time' | 'json'

export interface ColumnType {
  kind: ColumnKind
  /** Values are lists of this kind. */
  isList: boolean
}

export interface TableColumn extends ColumnType {
  key: string
  name: string
}

export class Table {
  readonly columns: readonly TableColumn[]
  readonly #shape: TableShape
  readonly #whole: ReadonlySet<string>
  readonly #keys: ReadonlySet<string>

  /** `types` lists columns in the order of their first occurrence. */
  constructor(types: ReadonlyMap<string, ColumnType>, shape: TableShape, whole: ReadonlySet<string>) {
    const all = new Map(types)
    for (const name of shape.pageColumns) {
      const key = columnKey('page', name)
      all.set(key, all.get(key) ?? { kind: 'null', isList: false })
    }
    this.#shape = shape
    this.#whole = whole
    this.#keys = new Set(all.keys())
    this.columns = named(inOrder([...all.keys()], shape), shape).map(({ key, name }) => ({
      ...{ key, name },
      ...typeOfPage(key, all.get(key)!),
    }))
  }

  /** Each row has a value for each column. Null if the record has a column that the table lacks. */
  rows(record: StoredRecord): Json[][] | null {
    const rows = rowsOf(record, this.#shape, this.#whole)
    if (!rows.every(row => this.#holds(row))) return null
    return rows.map(row => this.columns.map(({ key }) => row.get(key) ?? null))
  }

  #holds(row: TableRow): boolean {
    for (const [key, value] of row)
      if (!this.#keys.has(key) && !(value === null && this.#isParent(key))) return false
    return true
  }

  #isParent(key: string): boolean {
    for (const other of this.#keys) if (isBelow(other, key)) return true
    return false
  }
}

/** The page columns `fetched_at` and `status` have a fixed type, even if they contain no values. */
function typeOfPage(key: string, type: ColumnType): ColumnType {
  if (key === columnKey('page', 'fetched_at')) return { kind: 'time', isList: false }
  return key === columnKey('page', 'status') ? { kind: 'integer', isList: false } : type
}

/** Columns of one field are adjacent. Columns of a flat input row come first. */
function inOrder(keys: string[], { input }: TableShape): string[] {
  const sources = input === 'flat' ? ['input', 'data', 'page'] : ['data', 'input', 'page']
  const fields = new Map<string, string[]>()
  for (const key of keys) {
    const field = fieldKeyOf(key)
    const columns = fields.get(field)
    if (columns) columns.push(key)
    else fields.set(field, [key])
  }
  const grouped = [...fields.values()].flat()
  return sources.flatMap(source => grouped.filter(key => placeOfKey(key).source === source))
}

/** Names the columns. An input column with the name of a field becomes `input_NAME`. Other repeated names get a number. */
function named(keys: string[], { input }: TableShape): Array<{ key: string; name: string }> {
  const taken = new Set<string>()
  const names = new Map<string, string>()
  for (const source of ['page', 'data', 'input'] as const)
    for (const key of keys) {
      const place = placeOfKey(key)
      if (place.source !== source) continue
      const name = freeName(nameOf(place, input === 'flat'), source, taken)
      taken.add(name)
      names.set(key, name)
    }
  return keys.map(key => ({ key, name: names.get(key)! }))
}

function nameOf({ source, path, isCurrency }: ReturnType<typeof placeOfKey>, isFlat: boolean): string {
  const name = `${path.join('.')}${isCurrency ? '_currency' : ''}`
  if (source === 'page') return `_page_${name}`
  return source === 'input' && !isFlat ? `_input.${name}` : name
}

function freeName(name: string, source: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const other = source === 'input' ? inputName(name) : name
  let free = other
  for (let number = 2; taken.has(free); number += 1) free = `${other}_${number}`
  return free
}
