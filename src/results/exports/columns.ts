// The columns of a job's records, for formats that must know them before the first row.
import type { Json, RecordData, StoredRecord } from '../../model/record.ts'

/** What all values of a column have in common. `json` holds nested values, and columns of more than one kind. */
export type ColumnKind = 'null' | 'boolean' | 'integer' | 'number' | 'text' | 'json'

export interface Survey {
  /** Field names in the order in which they were first seen, each with the narrowest kind that holds all its values. */
  columns: Map<string, ColumnKind>
  /** The last record that was looked at. A job may go on meanwhile; what comes later was not surveyed. */
  until: number
}

export async function survey(
  batches: AsyncIterable<StoredRecord[]>,
  known: readonly string[] = [],
): Promise<Survey> {
  const columns = new Map<string, ColumnKind>(known.map(name => [name, 'null']))
  let until = 0
  for await (const batch of batches) {
    for (const record of batch) widen(columns, JSON.parse(record.data))
    until = batch.at(-1)!.seq
  }
  columns.delete('_page')
  return { columns, until }
}

function widen(columns: Map<string, ColumnKind>, data: RecordData): void {
  for (const name in data) {
    const kind = kindOf(data[name]!)
    const before = columns.get(name)
    if (before !== kind) columns.set(name, before === undefined ? kind : commonKind(before, kind))
  }
}

export function kindOf(value: Json): ColumnKind {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return 'json'
}

export function commonKind(one: ColumnKind, other: ColumnKind): ColumnKind {
  if (one === other || other === 'null') return one
  if (one === 'null') return other
  const numeric = (kind: ColumnKind) => kind === 'integer' || kind === 'number'
  return numeric(one) && numeric(other) ? 'number' : 'json'
}
