// The SQL that SQLite and PostgreSQL share, and the few places where they differ. Stores that need nothing else have one
// implementation. Texts number their parameters $1, $2, … and use standard SQL: `CAST(… AS bigint)`, `ON CONFLICT (column)`.

/** SQLite stores booleans as 0 and 1, and gets lists as JSON. */
export type SqlValue = string | number | boolean | null | readonly string[] | readonly number[]

/** `durable` is on disk when the call returns. `relaxed` survives a process crash, and a machine crash after the next
 *  durable transaction: enough for leases, which end with the machine. PostgreSQL is always durable. */
export type Durability = 'durable' | 'relaxed'

export interface Statement {
  text: string
  values: readonly SqlValue[]
  /** `count`: the number of changed rows. */
  wants: 'rows' | 'count'
}

/** Work in a transaction: yields statements and receives their results. SQLite runs it without interruption, since its one
 *  connection has one transaction at a time. PostgreSQL waits for each result. Must not catch errors of statements. */
export type Steps<Result> = Generator<Statement, Result, unknown>

export function* all<Row>(text: string, ...values: SqlValue[]): Steps<Row[]> {
  return (yield { text, values, wants: 'rows' }) as Row[]
}

export function* one<Row>(text: string, ...values: SqlValue[]): Steps<Row | null> {
  const [row] = yield* all<Row>(text, ...values)
  return row ?? null
}

export function* run(text: string, ...values: SqlValue[]): Steps<number> {
  return (yield { text, values, wants: 'count' }) as number
}

export type ColumnType = 'text' | 'bigint' | 'integer'

/** Where the two differ. */
export interface Dialect {
  /** Whether `column` is in the list at `place`. */
  among(column: string, place: string, type?: ColumnType): string
  /** Whether the text at `place` is in `column`. */
  contains(column: string, place: string): string
  /** The JSON array of objects at `place`, as a table for FROM. */
  rows(place: string, alias: string, columns: Readonly<Record<string, ColumnType>>): string
  isFalse(column: string): string
  /** Deletes at most $2 rows of job number $1. `keys` are the other columns of a unique key. */
  deleteOfJob(table: string, keys: string): string
  /** Sorts text by its bytes. */
  readonly byBytes: string
  /** Locks the selected rows until the transaction ends. SQLite locks the whole store. */
  readonly forUpdate: string
  readonly skipLocked: string
}

export interface Sql extends Dialect {
  all<Row>(text: string, ...values: SqlValue[]): Promise<Row[]>
  one<Row>(text: string, ...values: SqlValue[]): Promise<Row | null>
  /** One write. Returns the number of changed rows. */
  run(text: string, ...values: SqlValue[]): Promise<number>
  /** Atomic. `work` may run several times, so it must have no other side effects. */
  transaction<Result>(work: () => Steps<Result>, durability?: Durability): Promise<Result>
}

/** Whether `column` has the value at `place`; null matches any. */
export const isOrAny = (column: string, place: string): string =>
  `(CAST(${place} AS text) IS NULL OR ${column} = ${place})`

/** The number of the job whose id is at `place`. */
export const numberAt = (place: string): string => `(SELECT job_no FROM jobs WHERE id = ${place})`

/** Objects as the JSON array that `rows` reads. PostgreSQL has no text with a NUL in it. */
export const rowsText = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'string' ? value.replaceAll('\0', '') : value))
