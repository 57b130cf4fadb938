// Finds the columns of a job's records, for formats that need them before the first row.
import type { Json, StoredRecord } from '../../model/record.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { isPlainList } from './cell-text.ts'
import { type ColumnKind, type ColumnType, Table } from './table.ts'
import { fieldKeyOf, isBelow, rowsOf } from './table-rows.ts'

export interface Survey {
  table: Table
  /** Sequence number of the last record that was read. Records that a running job commits later are not included. */
  until: number
}

/** Maximum number of columns of one field. A field with more columns is a map with arbitrary keys, and stays one column
 *  of JSON. */
const mostColumnsOfField = 200

/** `known` lists keys of columns that the job's rules define, in their order. */
export async function survey(
  batches: AsyncIterable<StoredRecord[]>,
  shape: TableShape,
  known: readonly string[] = [],
): Promise<Survey> {
  const found = new FoundColumns(known)
  let until = 0
  for await (const batch of batches) {
    for (const record of batch)
      for (const row of rowsOf(record, shape, found.whole))
        for (const [key, value] of row) found.add(key, value)
    until = batch.at(-1)!.seq
  }
  return { table: new Table(found.types(), shape, found.whole), until }
}

class FoundColumns {
  readonly #types: Map<string, ColumnType>
  readonly #columnsOfField = new Map<string, number>()
  /** Keys of fields that stay in one column, as JSON. */
  readonly whole = new Set<string>()

  constructor(known: readonly string[]) {
    this.#types = new Map(known.map(key => [key, { kind: 'null', isList: false }]))
  }

  add(key: string, value: Json): void {
    const before = this.#types.get(key)
    if (before === undefined && this.#isTooMany(key)) return
    const type = typeOf(value)
    if (before === undefined) this.#types.set(key, type)
    else if (before.kind !== type.kind || before.isList !== type.isList)
      this.#types.set(key, commonType(before, type))
  }

  /** The types by column. A field that is an object in some records and null in others has no column of its
   *  own. */
  types(): Map<string, ColumnType> {
    const keys = [...this.#types.keys()]
    const empty = keys.filter(
      key => this.#types.get(key)!.kind === 'null' && keys.some(other => isBelow(other, key)),
    )
    for (const key of empty) this.#types.delete(key)
    return this.#types
  }

  #isTooMany(key: string): boolean {
    const field = fieldKeyOf(key)
    if (this.whole.has(field)) {
      this.#types.set(field, { kind: 'json', isList: false })
      return true
    }
    const count = (this.#columnsOfField.get(field) ?? 0) + 1
    this.#columnsOfField.set(field, count)
    if (count <= mostColumnsOfField) return false
    this.whole.add(field)
    for (const other of [...this.#types.keys()]) if (fieldKeyOf(other) === field) this.#types.delete(other)
    this.#types.set(field, { kind: 'json', isList: false })
    return true
  }
}

function typeOf(value: Json): ColumnType {
  if (typeof value !== 'object' || value === null) return { kind: kindOf(value), isList: false }
  if (!isPlainList(value)) return { kind: 'json', isList: false }
  return { kind: value.map(kindOf).reduce(commonKind, 'null'), isList: true }
}

function kindOf(value: Json): ColumnKind {
  if (value === null) return 'null'
  if (typeof value === 'string') return kindOfText(value)
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return 'json'
}

function kindOfText(text: string): ColumnKind {
  if (text.length < 10 || text.length > 35 || !/^\d{4}-\d\d-\d\d/.test(text)) return 'text'
  const isDate = text.length === 10
  if (!isDate && !/^.{10}T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return 'text'
  // `Date.parse` accepts "2024-02-30" as 1 March, so compare the day.
  const day = text.slice(0, 10)
  if (Number.isNaN(Date.parse(text)) || Number.isNaN(Date.parse(day))) return 'text'
  if (!new Date(day).toISOString().startsWith(day)) return 'text'
  return isDate ? 'date' : 'time'
}

function commonType(one: ColumnType, other: ColumnType): ColumnType {
  const kind = commonKind(one.kind, other.kind)
  return { kind, isList: kind !== 'json' && (one.isList || other.isList) }
}

/** Scalars of different kinds become text, as in a CSV file. */
function commonKind(one: ColumnKind, other: ColumnKind): ColumnKind {
  if (one === other || other === 'null') return one
  if (one === 'null') return other
  if (one === 'json' || other === 'json') return 'json'
  const isNumeric = (kind: ColumnKind) => kind === 'integer' || kind === 'number'
  return isNumeric(one) && isNumeric(other) ? 'number' : 'text'
}
