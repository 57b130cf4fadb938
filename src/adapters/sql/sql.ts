// SQL that SQLite and PostgreSQL share, and the few places where they differ (`Dialect`). A part of the store that uses only
// this SQL is written once for both. Statements number their parameters $1, $2, … and use standard SQL: `CAST(… AS bigint)`,
// `ON CONFLICT (column)`.
import type { TaskState } from '../../model/task.ts'
import type { JobCounters } from '../job-counters.ts'

/** SQLite stores booleans as 0 and 1, and gets lists as JSON. */
export type SqlValue = string | number | bigint | boolean | null | readonly string[] | readonly number[]

/** `durable`: on disk when the call returns. `relaxed`: survives a crash of the process; survives a crash of the machine only
 *  after the next durable transaction. That is enough for leases, which end with the machine. PostgreSQL is always durable. */
export type Durability = 'durable' | 'relaxed'

interface Statement {
  text: string
  values: readonly SqlValue[]
  /** `count` returns the number of changed rows. */
  wants: 'rows' | 'count'
}

/** Work in a transaction: a generator that yields statements and receives their results. SQLite runs it without interruption,
 *  because its connection has one transaction at a time. PostgreSQL waits for each result. The work must not catch errors of
 *  statements. */
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

type ColumnType = 'text' | 'bigint' | 'integer'

/** SQL that differs between SQLite and PostgreSQL. */
export interface Dialect {
  /** SQL: whether `column` is in the list at parameter `place`. */
  among(column: string, place: string, type?: ColumnType): string
  /** SQL: whether `column` contains the text at parameter `place`. */
  contains(column: string, place: string): string
  /** SQL that makes the JSON array of objects at `place` a table for FROM. */
  rows(place: string, alias: string, columns: Readonly<Record<string, ColumnType>>): string
  isFalse(column: string): string
  /** SQL that deletes at most $2 rows of job number $1. `keys` are the other columns of the table's unique key. */
  deleteOfJob(table: string, keys: string): string
  /** SQL for the text of a stored word: a host, a reason, a scraper. SQLite stores words as numbers. */
  word(column: string): string
  /** SQL for the stored form of the word at parameter `place`; null if the word is not stored. */
  storedWord(place: string): string
  /** SQL that adds the word $1; null if the store has words as text. */
  readonly addWord: string | null
  /** SQL for the name of a stored task state, task kind or fetch mode. */
  state(column: string): string
  kind(column: string): string
  way(column: string): string
  /** Stored task states, for `IN (…)`. */
  states(states: readonly TaskState[]): string
  /** SQL for the reason of a task that has none. */
  readonly noReason: string
  /** SQL that sorts text by its bytes. */
  readonly byBytes: string
  /** SQL that locks the selected rows until the transaction ends. Empty for SQLite, which locks the whole store. */
  readonly forUpdate: string
  readonly skipLocked: string
}

export interface Sql extends Dialect {
  all<Row>(text: string, ...values: SqlValue[]): Promise<Row[]>
  one<Row>(text: string, ...values: SqlValue[]): Promise<Row | null>
  /** Runs one write. Returns the number of changed rows. */
  run(text: string, ...values: SqlValue[]): Promise<number>
  /** The transaction is atomic. `work` may run several times, so it must have no other side effects. */
  transaction<Result>(work: () => Steps<Result>, durability?: Durability): Promise<Result>
}

/** Runs work in a transaction, and writes its counts at the end. Like `transaction`, it may run `work` several times. */
export type WriteJobs = <Result>(work: (counters: JobCounters) => Steps<Result>) => Promise<Result>

/** SQL: whether `column` equals the value at parameter `place`; a null value matches every row. */
export const isOrAny = (column: string, place: string): string =>
  `(CAST(${place} AS text) IS NULL OR ${column} = ${place})`

/** SQL for the number of the job whose id is at parameter `place`. */
export const numberAt = (place: string): string => `(SELECT job_no FROM jobs WHERE id = ${place})`

/** Objects as JSON text, for `rows`. NUL characters are removed, because PostgreSQL texts cannot contain them. */
export const rowsText = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'string' ? value.replaceAll('\0', '') : value))
