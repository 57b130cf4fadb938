// The handler name and data that a scraper passes along with a followed link. They are stored as the input of the new task.
import { Failure } from './failures.ts'

export interface FollowOptions {
  /** Name of the handler in the scraper's `handlers` that parses the page. Default: the scraper's `run`. */
  to?: string
  /** The JSON value that the handler gets as `data`. */
  data?: unknown
}

export interface Followed {
  handler: string
  data: unknown
}

const longestData = 100_000
/** The first key in the input of a followed link. Rows of callers must not have this key, because it would choose the handler
 *  and its data. */
const handlerName = '_handler'
const start = `{"${handlerName}":`

/** The reason why a caller's row is refused; null if the row is accepted. */
export const reservedNameIn = (row: Record<string, unknown>): string | null =>
  Object.hasOwn(row, handlerName) ? `the name "${handlerName}" is reserved; rename it` : null

/** The input of the new task. Null if the link names no handler, so that `run` parses the page. */
export function followedInput(url: string, { to, data = null }: FollowOptions): string | null {
  if (to === undefined && data === null) return null
  if (to === undefined)
    throw new Failure('scraper.failed', `follow("${url}") passes data, but names no handler; set \`to\``)
  const text = `${start}${JSON.stringify(to)},"data":${JSON.stringify(data) ?? 'null'}}`
  if (text.length <= longestData) return text
  throw new Failure(
    'scraper.failed',
    `follow("${url}") passes ${text.length.toLocaleString('en')} characters of data, more than the limit of ${longestData.toLocaleString('en')}; emit a record instead`,
  )
}

export function followedOf(input: string | null): Followed | null {
  if (!input?.startsWith(start)) return null
  const { _handler: handler, data } = JSON.parse(input) as { _handler: string; data: unknown }
  return { handler, data }
}

/** The caller's input row as JSON. Null if the input is data that a scraper passed along. */
export const givenRow = (input: string | null): string | null => (input?.startsWith(start) ? null : input)
