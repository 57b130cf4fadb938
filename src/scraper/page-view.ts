// The page view: what a scraper sees of a page. Small, typed, and loud when a site has changed.
import type { Json } from '../model/record.ts'

export interface PageView {
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  /** The page's source as text. */
  readonly source: string
  /** Text of the first match, white space folded; null when nothing matches. */
  text(selector: string): string | null
  attr(selector: string, name: string): string | null
  /** Text of every match. */
  all(selector: string): string[]
  /** Every match as a view of its own part of the page. */
  each(selector: string): PageView[]
  /** A table as rows of cell texts, keyed by its head when it has one. */
  table(selector: string): Array<Record<string, string>>
  /** The body as JSON. */
  json(): Json
  /** Throws `extract.site-changed` unless the selector matches, and its text the pattern. */
  expect(selector: string, pattern?: RegExp): void
}
