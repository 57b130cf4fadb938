// Bulk writes of a transaction: collected while it runs, and sent as one statement at its end.
import type { Transaction } from './database.ts'
import { type Columns, rowsTable } from './rows.ts'

/** One kind of rows, and its SQL. */
export interface BulkWrite<Column extends string = string> {
  /** Name of its result for other parts of the statement. */
  name: string
  columns: Readonly<Record<Column, Columns[string]>>
  text: (table: string) => string
}

/** Collects rows until the transaction ends. */
export type Gatherer = Pick<BulkWrites, 'add'>

type Row = Record<string, unknown>

/** All parts of the statement see the tables as before it: a part may use the results of another, but not its writes.
 *  PostgreSQL guarantees no order; it runs unreferenced parts from last to first. Only speed may depend on that: deadlocks
 *  are retried. */
export class BulkWrites {
  readonly #rows = new Map<BulkWrite, Row[]>()

  /** Rows of one kind are joined. */
  add<Column extends string>(
    write: BulkWrite<Column>,
    rows: ReadonlyArray<Record<NoInfer<Column>, unknown>>,
  ): void {
    const gathered = this.#rows.get(write) ?? []
    if (gathered.length === 0) this.#rows.set(write, gathered)
    for (const row of rows) gathered.push(row)
  }

  has(write: BulkWrite): boolean {
    return this.#rows.has(write)
  }

  /** Parts in `last` lock their rows after all others. */
  send(queries: Transaction, last: readonly BulkWrite[] = []): void {
    if (this.#rows.size === 0) return
    const values: unknown[] = []
    const named = last.filter(write => this.#rows.has(write))
    const parts = [...new Set([...named, ...this.#rows.keys()])].map(write => {
      const table = rowsTable('r', write.columns, this.#rows.get(write)!, values.length + 1)
      values.push(...table.values)
      return `${write.name} AS (${write.text(table.sql)})`
    })
    queries.send(`WITH ${parts.join(', ')} SELECT`, ...values)
  }
}
