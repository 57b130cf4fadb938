// Bulk writes of a transaction: rows are collected while it runs, and sent as one statement at its end.
import type { Transaction } from './database.ts'
import { type Columns, rowsTable } from './rows.ts'

/** A kind of row, with the SQL that writes many rows of this kind. */
export interface BulkWrite<Column extends string = string> {
  /** The name of this part in the statement. Other parts can read its result under this name. */
  name: string
  columns: Readonly<Record<Column, Columns[string]>>
  text: (table: string) => string
}

/** Collects rows until the end of the transaction. */
export type Gatherer = Pick<BulkWrites, 'add'>

type Row = Record<string, unknown>

/** All parts of the statement see the tables as they were before the statement. A part can use the result of another part,
 *  but does not see the rows that the other part writes. PostgreSQL does not guarantee an order. In practice it runs parts
 *  without references from last to first. Only speed may depend on this order, and transactions that deadlock are retried. */
export class BulkWrites {
  readonly #rows = new Map<BulkWrite, Row[]>()

  /** Adds rows. Rows of one kind are sent as one part of the statement. */
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

  /** Sends everything as one statement. Parts in `last` lock their rows after all other parts. */
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
