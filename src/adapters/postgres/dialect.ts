// The SQL of the shared stores that is specific to PostgreSQL.
import type { QueryResultRow } from 'pg'
import type { Dialect, Sql, SqlValue, Steps } from '../sql/sql.ts'
import type { Database, Queries } from './database.ts'
import { withoutNul } from './rows.ts'

const dialect: Dialect = {
  among: (column, place, type = 'text') => `${column} = ANY(${place}::${type}[])`,
  contains: (column, place) => `position(${place} in ${column}) > 0`,
  rows(place, alias, columns) {
    const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    return `json_to_recordset(${place}::json) AS ${alias} (${typed.join(', ')})`
  },
  isFalse: column => `NOT ${column}`,
  deleteOfJob: table =>
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE job_no = $1 LIMIT $2))`,
  word: column => column,
  storedWord: place => place,
  addWord: null,
  state: column => column,
  kind: column => column,
  way: column => column,
  states: states => states.map(state => `'${state}'`).join(', '),
  noReason: 'NULL',
  byBytes: 'COLLATE "C"',
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
}

type AnyRow<Row> = Row & QueryResultRow

export const sqlOn = (database: Database): Sql => ({
  ...dialect,
  all: <Row>(text: string, ...values: SqlValue[]) => database.all<AnyRow<Row>>(text, ...values.map(bound)),
  one: <Row>(text: string, ...values: SqlValue[]) => database.one<AnyRow<Row>>(text, ...values.map(bound)),
  run: (text, ...values) => database.run(text, ...values.map(bound)),
  transaction: work => database.transaction(queries => drive(queries, work())),
})

/** Runs the statements of a generator. Outside of a transaction, all of them must be reads. */
export async function drive<Result>(queries: Queries, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (!step.done) {
    const { text, values, wants } = step.value
    const inputs = values.map(bound)
    step = steps.next(await (wants === 'count' ? queries.run(text, ...inputs) : queries.all(text, ...inputs)))
  }
  return step.value
}

const bound = (value: SqlValue): unknown => (typeof value === 'string' ? withoutNul(value) : value)
