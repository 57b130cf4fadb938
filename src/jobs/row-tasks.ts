// Turns a row into a task with a URL or with an input for a scraper, or returns why the row is rejected.
import { problemsOf } from '../lib/text/problems.ts'
import { reservedNameIn } from '../model/followed.ts'
import { camel, mapKeys, snake } from '../model/letter-case.ts'
import { type TaskPolicy, taskPolicy } from '../model/policy/policy.ts'
import { issueLines, type StandardSchema } from '../model/standard-schema.ts'
import { cut, type Row } from './rows.ts'

/** The task of a row. */
export interface RowTask {
  row: number
  url: string | null
  /** The whole row as JSON; null if the row is only a URL. */
  input: string | null
  itemId: string | null
  /** The row's own policy, if any. */
  policy?: TaskPolicy
}

export interface RowReading {
  /** The column (or key) with the URL. If undefined, it is found by its name. */
  urlColumn: string | undefined
  /** The column with the policy of the row. Default: rows have no policy. */
  policyColumn?: string | undefined
  /** The input schema of the scraper; null if a URL is enough. */
  input: StandardSchema | null
  /** Whether a row may have no URL, because the scraper finds its own pages. */
  urlOptional: boolean
  /** The start page of the job's actions for a row. */
  startUrl?: (row: Record<string, unknown>) => string | null
}

type RowResult =
  | { is: 'task'; task: RowTask }
  | { is: 'blank' }
  | { is: 'rejected'; row: number; text: string; reason: string }

const urlNames = ['url', 'link', 'href', 'uri', 'website', 'page', 'address']

export function taskOfRow(row: Row, reading: RowReading): RowResult {
  if (row.is === 'blank') return { is: 'blank' }
  if (row.is === 'bad') return { is: 'rejected', row: row.row, text: row.text, reason: row.reason }
  if (row.is === 'text')
    return { is: 'task', task: { row: row.row, url: row.text, input: null, itemId: null } }
  return objectRow(row.row, row.value, reading)
}

function objectRow(row: number, given: Record<string, unknown>, reading: RowReading): RowResult {
  const reject = (reason: string): RowResult => ({
    is: 'rejected',
    row,
    text: cut(JSON.stringify(given)),
    reason,
  })
  const reserved = reservedNameIn(given)
  if (reserved !== null) return reject(reserved)
  const { value, policy } = withoutPolicy(given, reading.policyColumn)
  if (policy !== null && 'wrong' in policy) return reject(policy.wrong)
  const column = reading.urlColumn ?? urlColumnOf(value, reading.urlOptional)
  const url = column === undefined ? undefined : value[column]
  const start = reading.startUrl?.(value) ?? null
  if (start === null && !reading.urlOptional && (typeof url !== 'string' || url.trim() === ''))
    return reject(
      column === undefined
        ? 'no column has a URL; name the column with --url-column'
        : `column "${column}" has no URL`,
    )
  const address = start ?? (typeof url === 'string' && url.trim() !== '' ? url.trim() : null)
  const fitting = inputOf(value, address, reading.input)
  if ('wrong' in fitting) return reject(fitting.wrong)
  const itemId = itemIdOf(value.item_id)
  const task = { row, url: address, input: JSON.stringify(fitting.input), itemId }
  return { is: 'task', task: policy ? { ...task, policy: policy.said } : task }
}

type RowPolicy = { said: TaskPolicy } | { wrong: string } | null

/** Splits a row into its input and its policy. The policy column is not part of the input. */
function withoutPolicy(
  given: Record<string, unknown>,
  column: string | undefined,
): { value: Record<string, unknown>; policy: RowPolicy } {
  if (column === undefined || !(column in given)) return { value: given, policy: null }
  const { [column]: said, ...value } = given
  return { value, policy: policyIn(said, column) }
}

/** The policy in a cell: a JSON value, or JSON text in formats without types. An empty cell has no policy. */
function policyIn(said: unknown, column: string): RowPolicy {
  if (said === undefined || said === null || said === '') return null
  const wrong = (why: string) => ({ wrong: `column "${column}" has an invalid policy: ${why}` })
  try {
    const read: unknown = typeof said === 'string' ? JSON.parse(said) : said
    const parsed = taskPolicy.safeParse(mapKeys(read, camel))
    if (parsed.success) return { said: parsed.data }
    const problems = problemsOf(parsed.error, { known: Object.keys(taskPolicy.shape), spell: snake })
    return wrong(problems.map(({ path, message }) => `${path}: ${message}`).join('; '))
  } catch {
    return wrong('write it as JSON, like {"retries": {"attempts": 5}}')
  }
}

/** The item id in a cell. Null if the cell is empty. A number becomes text. */
const itemIdOf = (value: unknown): string | null =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : null

/** The input of a task: the row. Scrapers expect the URL under the name `url`, but its column may have another name. So
 *  if the row does not match the schema, the URL is added as `url`. */
function inputOf(
  value: Record<string, unknown>,
  url: string | null,
  schema: StandardSchema | null,
): { input: Record<string, unknown> } | { wrong: string } {
  const wrong = schema ? problemsWith(schema, value) : null
  if (!schema || !wrong) return { input: value }
  if (url === null || value.url !== undefined) return { wrong }
  const withUrl = { ...value, url }
  return problemsWith(schema, withUrl) ? { wrong } : { input: withUrl }
}

/** The column with the URL. If the URL is optional, the value must also look like a URL, because an `address` may be a street. */
function urlColumnOf(value: Record<string, unknown>, isOptional: boolean): string | undefined {
  const names = Object.keys(value)
  const holdsUrl = (name: string) => /^https?:\/\//i.test(String(value[name]))
  const named = names.filter(name => urlNames.includes(name.toLowerCase()))
  return isOptional ? named.find(holdsUrl) : (named[0] ?? names.find(holdsUrl))
}

function problemsWith(schema: StandardSchema, value: unknown): string | null {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise)
    return 'the input schema of the scraper is asynchronous, which is not supported for rows'
  return result.issues ? issueLines(result.issues).join('; ') : null
}
