// Many rows in one statement: each column is one array.

/** Types of PostgreSQL by column, in the order of the columns. */
export type Columns = Readonly<Record<string, 'bigint' | 'integer' | 'float8' | 'text' | 'boolean'>>

export interface RowsTable {
  /** `unnest($1::bigint[], …) AS r (n, …)`, to stand in a FROM. */
  sql: string
  values: unknown[][]
}

/** Rows as a table named `alias`; parameters are numbered from `first` on. */
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

/** PostgreSQL has no text with a NUL in it. */
const plain = (value: unknown): unknown => (typeof value === 'string' ? withoutNul(value) : value)
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text)
