// The query of a search over records. The index of words differs between the stores.
import type { FieldFilter, RecordQuery } from '../../model/record-query.ts'
import { recordColumns } from './records.ts'
import type { Sql, SqlValue } from './sql.ts'

/** Adds a value to the statement. Returns its parameter. */
export type Place = (value: SqlValue) => string

/** SQL that differs between the stores. */
export interface SearchForms {
  /** Translates the words of the user. Null if there is no word. */
  words(text: string): string | null
  /** SQL for FROM: records `r` and the index of words `w`. */
  indexed: string
  /** SQL: whether a record of `indexed` matches the translated words at `place`. */
  matches(place: string): string
  /** SQL for the number of a record of `indexed`. */
  indexedSeq: string
  /** SQL: whether the scraper of the record has the name at `place`, in any version. */
  isOf(place: string): string
  filter(filter: FieldFilter, place: Place): string
}

/** Builds the search statement. The caller appends the values of the last three parameters: the record numbers `before` and
 *  `from`, and a limit. */
export function searchStatement(
  sql: Sql,
  forms: SearchForms,
  query: RecordQuery,
): { text: string; values: SqlValue[] } {
  const values: SqlValue[] = []
  const place: Place = value => `$${values.push(value)}`
  const words = query.text === undefined ? null : forms.words(query.text)
  const where = [
    ...(words === null ? [] : [forms.matches(place(words))]),
    ...plainConditions(sql, forms, query, place),
    ...(query.filters ?? []).map(filter => forms.filter(filter, place)),
  ]
  const seq = words === null ? 'r.seq' : forms.indexedSeq
  const [before, from, limit] = [1, 2, 3].map(index => `$${values.length + index}`)
  const text = `SELECT ${recordColumns(sql)} FROM ${words === null ? 'records r' : forms.indexed}
    JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
    WHERE ${where.join(' AND ')} AND ${seq} < ${before} AND ${seq} >= ${from} ORDER BY ${seq} DESC LIMIT ${limit}`
  return { text, values }
}

function plainConditions(sql: Sql, forms: SearchForms, query: RecordQuery, place: Place): string[] {
  const { workspace, jobId, host, scraper } = query
  return [
    `j.workspace = ${place(workspace)}`,
    ...(jobId === undefined ? [] : [`j.id = ${place(jobId)}`]),
    ...(host === undefined ? [] : [`t.host = ${sql.storedWord(place(host))}`]),
    ...(scraper === undefined ? [] : [forms.isOf(place(scraper))]),
  ]
}
