// Passes many rows to one statement: each column is one array.

/** PostgreSQL types of the columns, in column order. */
export type Columns = Readonly<Record<string, 'bigint' | 'integer' | 'float8' | 'text' | 'boolean'>>

interface RowsTable {
  /** SQL for a FROM clause: `unnest($1::bigint[], …) WITH ORDINALITY AS r (n, …, ord)`. */
  sql: string
  values: unknown[][]
}

/** Makes rows a table named `alias`. The first parameter has the number `first`. */
export function rowsTable<Column extends string>(
  alias: string,
  columns: Readonly<Record<Column, Columns[string]>>,
  rows: ReadonlyArray<Record<NoInfer<Column>, unknown>>,
  first = 1,
): RowsTable {
  const names = Object.keys(columns) as Column[]
  const arrays = names.map((name, index) => `$${first + index}::${columns[name]}[]`)
  return {
    sql: `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${alias} (${names.join(', ')}, ord)`,
    values: names.map(name => rows.map(row => plain(row[name]))),
  }
}

/** Removes NUL characters, which PostgreSQL texts cannot contain. */
const plain = (value: unknown): unknown => (typeof value === 'string' ? withoutNul(value) : value)
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text)
