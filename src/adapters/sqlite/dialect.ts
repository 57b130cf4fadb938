// The SQL of the shared stores that is specific to SQLite.
import type { SQLInputValue } from 'node:sqlite'
import type { Dialect, Sql, SqlValue, Steps } from '../sql/sql.ts'
import { codeList, kindCodes, stateCodes, wayCodes } from './codes.ts'
import type { Connection } from './connection.ts'
import { noName } from './names.ts'

const dialect: Dialect = {
  among: (column, place) => `${column} IN (SELECT value FROM json_each(${place}))`,
  contains: (column, place) => `instr(${column}, ${place}) > 0`,
  rows(place, alias, columns) {
    const names = Object.keys(columns).map(name => `value ->> '${name}' AS ${name}`)
    return `(SELECT ${names.join(', ')} FROM json_each(${place})) AS ${alias}`
  },
  isFalse: column => `${column} = 0`,
  deleteOfJob: (table, keys) =>
    `DELETE FROM ${table} WHERE (job_no, ${keys}) IN (SELECT job_no, ${keys} FROM ${table} WHERE job_no = $1 LIMIT $2)`,
  word: column => `(SELECT text FROM names WHERE id = ${column})`,
  storedWord: place => `(SELECT id FROM names WHERE text = ${place})`,
  addWord: 'INSERT INTO names (text) VALUES ($1) ON CONFLICT DO NOTHING',
  state: column => spelled(column, stateCodes),
  kind: column => spelled(column, kindCodes),
  way: column => spelled(column, wayCodes),
  states: codeList,
  noReason: String(noName),
  byBytes: 'COLLATE BINARY',
  forUpdate: '',
  skipLocked: '',
}

/** SQL for the name of a code. */
export const spelled = (column: string, codes: Readonly<Record<string, number>>): string =>
  `CASE ${column} ${Object.entries(codes)
    .map(([text, code]) => `WHEN ${code} THEN '${text}'`)
    .join(' ')} END`

export function sqlOn(connection: Connection): Sql {
  return {
    ...dialect,
    all: async <Row>(text: string, ...values: SqlValue[]) => rows<Row>(connection, text, values),
    one: async <Row>(text: string, ...values: SqlValue[]) => rows<Row>(connection, text, values)[0] ?? null,
    run: async (text, ...values) => connection.write(() => connection.run(text, ...values.map(bound))),
    transaction: async (work, durability) => connection.write(() => drive(connection, work()), durability),
  }
}

/** Runs the statements of a generator. Outside of a write, all of them must be reads. */
export function drive<Result>(connection: Connection, steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) {
    const { text, values, wants } = step.value
    const result =
      wants === 'count' ? connection.run(text, ...values.map(bound)) : rows(connection, text, values)
    step = steps.next(result)
  }
  return step.value
}

/** Copies each row, because rows of node:sqlite have no prototype. */
const rows = <Row>(connection: Connection, text: string, values: readonly SqlValue[]): Row[] =>
  connection.all<Row & object>(text, ...values.map(bound)).map(row => ({ ...row }))

function bound(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
