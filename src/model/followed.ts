// What a scraper passes along when it follows a link to one of its handlers. It is stored as the input of the new task.
import { Failure } from './failures.ts'

export interface FollowOptions {
  /** Name of the handler that reads the page, in `handlers` of the scraper. Without it, `run` does. */
  to?: string
  /** What the handler gets as `data`: values of JSON. */
  data?: unknown
}

export interface Followed {
  handler: string
  data: unknown
}

const longestData = 100_000
const start = '{"_handler":'

/** Null for a link that is read by `run`. */
export function followedInput(url: string, { to, data = null }: FollowOptions): string | null {
  if (to === undefined && data === null) return null
  if (to === undefined)
    throw new Failure('scraper.failed', `follow("${url}") passes data, but names no handler; set \`to\``)
  const text = `${start}${JSON.stringify(to)},"data":${JSON.stringify(data) ?? 'null'}}`
  if (text.length <= longestData) return text
  throw new Failure(
    'scraper.failed',
    `follow("${url}") passes ${text.length.toLocaleString('en')} characters of data, and may pass ${longestData.toLocaleString('en')}; emit a record instead`,
  )
}

export function followedOf(input: string | null): Followed | null {
  if (!input?.startsWith(start)) return null
  const { _handler: handler, data } = JSON.parse(input) as { _handler: string; data: unknown }
  return { handler, data }
}

/** The row that the caller gave, as JSON. Data that a scraper passed along does not count. */
export const givenRow = (input: string | null): string | null => (input?.startsWith(start) ? null : input)
