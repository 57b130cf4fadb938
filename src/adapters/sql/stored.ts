// The columns of a stored type. One table of fields gives the SELECT list, the statements that write, and the conversion of rows.
import { snake } from '../../model/letter-case.ts'
import type { Sql, SqlValue } from './sql.ts'

/** How a field is stored. SQLite has a flag as 0 or 1. */
type Form = 'plain' | 'json' | 'flag'

/** A selected row, with columns named like the fields. */
export type StoredRow<Thing> = Record<keyof Thing & string, unknown>

export interface Stored<Thing> {
  readonly table: string
  /** The SELECT list. */
  readonly columns: string
  /** `SELECT … FROM` the table, for a WHERE clause. */
  readonly select: string
  /** Inserts one row of `values`. */
  readonly insert: string
  /** Changes the row that has the key columns of `values`. */
  readonly update: string
  /** Inserts a row, or replaces the row that has the same key. A WHERE clause may follow: it limits which rows are replaced. */
  readonly upsert: string
  values(thing: Thing): SqlValue[]
  from(row: StoredRow<Thing>): Thing
}

/** `forms` lists the fields. The first `keyLength` fields are the unique key. Columns are named like fields, in snake_case. */
export function stored<Thing extends object>(
  table: string,
  forms: Readonly<Record<keyof Thing & string, Form>>,
  keyLength = 1,
): Stored<Thing> {
  const fields = Object.keys(forms) as Array<keyof Thing & string>
  const columns = fields.map(snake)
  const places = columns.map((_, index) => `$${index + 1}`)
  const keys = columns.slice(0, keyLength)
  const others = columns.slice(keyLength)
  const list = fields.map((field, index) => `${columns[index]} AS "${field}"`).join(', ')
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`
  return {
    table,
    columns: list,
    select: `SELECT ${list} FROM ${table}`,
    insert,
    update: `UPDATE ${table} SET ${others.map((name, index) => `${name} = ${places[keyLength + index]}`).join(', ')}
      WHERE ${keys.map((name, index) => `${name} = ${places[index]}`).join(' AND ')}`,
    upsert: `${insert} ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
      ${others.map(name => `${name} = excluded.${name}`).join(', ')}`,
    values: thing => fields.map(field => storedValue(forms[field], thing[field])),
    from: row =>
      Object.fromEntries(fields.map(field => [field, fieldValue(forms[field], row[field])])) as Thing,
  }
}

const storedValue = (form: Form, value: unknown): SqlValue =>
  form === 'json' && value !== null ? JSON.stringify(value) : (value as SqlValue)

function fieldValue(form: Form, value: unknown): unknown {
  if (form === 'flag') return Boolean(value)
  return form === 'json' && value !== null ? JSON.parse(value as string) : value
}

/** Reads the rows that a clause like `WHERE id = $1` selects. */
export async function findAll<Thing>(
  sql: Sql,
  { select, from }: Stored<Thing>,
  clause: string,
  ...values: SqlValue[]
): Promise<Thing[]> {
  return (await sql.all<StoredRow<Thing>>(`${select} ${clause}`, ...values)).map(from)
}

export async function findOne<Thing>(
  sql: Sql,
  type: Stored<Thing>,
  clause: string,
  ...values: SqlValue[]
): Promise<Thing | null> {
  const [found] = await findAll(sql, type, clause, ...values)
  return found ?? null
}
