// Fits a record to its schema. Valid fields stay; the problems of the others are listed.

import { Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import type { RecordData } from '../model/record.ts'
import type { StandardIssue, StandardResult, StandardSchema } from '../model/standard-schema.ts'

interface FieldProblem {
  /** For example `offers[0].price`; `(whole)` for problems of the whole record. */
  path: string
  message: string
}

interface FittedRecord {
  data: RecordData
  /** Problems of the original record. Empty if it was valid. */
  problems: FieldProblem[]
}

/** Invalid fields become null if the schema allows that; otherwise they are removed. If the result is valid, it has the
 *  defaults and conversions of the schema. */
export function fitToSchema(data: unknown, schema: StandardSchema): FittedRecord {
  const first = validate(schema, data)
  if (!first.issues) return { data: first.value as RecordData, problems: [] }
  const problems = first.issues.map(problemOf)
  if (!isObject(data)) return { data: fitToSchema({}, schema).data, problems }
  return { data: fitted(data as RecordData, first.issues, schema), problems }
}

/** Repeats until the record is valid or no field can change. Each round sets a field to null or removes it, so the loop
 *  ends. Several rounds are needed, because some checks run only when all fields are valid. */
function fitted(data: RecordData, issues: ReadonlyArray<StandardIssue>, schema: StandardSchema): RecordData {
  const left = { ...data }
  let open = issues
  while (takeBack(left, open)) {
    const result = validate(schema, left)
    if (!result.issues) return result.value as RecordData
    open = result.issues
  }
  return left
}

/** Sets invalid values to null, and removes invalid keys that are already null or unknown to the schema. Returns
 *  whether the record changed. */
function takeBack(data: RecordData, issues: ReadonlyArray<StandardIssue>): boolean {
  let changed = false
  for (const field of new Set(issues.flatMap(fieldsOf))) {
    if (!Object.hasOwn(data, field)) continue
    changed = true
    if (data[field] === null || data[field] === undefined) delete data[field]
    else data[field] = null
  }
  for (const key of issues.flatMap(unknownKeys)) {
    changed ||= Object.hasOwn(data, key)
    delete data[key]
  }
  return changed
}

const fieldsOf = (issue: StandardIssue): string[] => {
  const [first] = keysOf(issue)
  return first === undefined ? [] : [String(first)]
}

/** Keys that a strict schema does not allow, as zod reports them. */
function unknownKeys(issue: StandardIssue): string[] {
  const { keys } = issue as { keys?: unknown }
  const isWhole = keysOf(issue).length === 0
  return isWhole && Array.isArray(keys) ? keys.filter(key => typeof key === 'string') : []
}

const keysOf = (issue: StandardIssue): PropertyKey[] =>
  (issue.path ?? []).map(part => (typeof part === 'object' ? part.key : part))

const problemOf = (issue: StandardIssue): FieldProblem => ({
  path: keysOf(issue).reduce<string>(pathText, '') || '(whole)',
  message: issue.message,
})

function pathText(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? String(key) : `${path}.${String(key)}`
}

function validate(schema: StandardSchema, value: unknown): StandardResult<unknown> {
  const result = schema['~standard'].validate(value)
  if (!(result instanceof Promise)) return result
  // The result is not used. Ignore its rejection, so that it does not crash the process.
  result.catch(() => {})
  throw new Failure(
    'scraper.failed',
    `an output schema of ${schema['~standard'].vendor} is asynchronous; use a schema without asynchronous checks`,
  )
}
