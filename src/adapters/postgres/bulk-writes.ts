// What a transaction writes in bulk: gathered while it runs, and sent as one statement at its end.
import type { Transaction } from './database.ts'
import { type Columns, rowsTable } from './rows.ts'

/** One kind of rows, and what is done with them. */
export interface BulkWrite<Column extends string = string> {
  /** By which the others of the same statement know what it gives back. */
  name: string
  columns: Readonly<Record<Column, Columns[string]>>
  text: (table: string) => string
}

/** Takes rows in until the transaction ends. */
export type Gatherer = Pick<BulkWrites, 'add'>

type Row = Record<string, unknown>

/**
 * All parts of the statement see the tables as they were before it: beside what another one gives back, none may need what that one
 * writes. PostgreSQL promises no order among them; it runs those that none reads from the last to the first. Only speed may depend on
 * that: two that come to wait for each other are tried again.
 */
export class BulkWrites {
  readonly #rows = new Map<BulkWrite, Row[]>()

  /** Rows of one kind go together, however often they come. */
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

  /** What is named in `last` takes hold of its rows after all others. */
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
