// The page view: a small, typed interface through which scrapers read a page. It reports site changes as errors.
import type { Line } from '../model/page/line.ts'
import type { PageKindVerdict } from '../model/page/page-kind.ts'
import type { Thing } from '../model/page/thing.ts'
import type { Json } from '../model/record.ts'

export interface PageView {
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  /** The language tag of the page; null if it is not declared. */
  readonly language: string | null
  /** When the page was fetched, epoch ms. */
  readonly fetchedAt: number
  /** The page's source as text. */
  readonly source: string
  /** Text of the first match with collapsed white space; null if nothing matches. */
  text(selector: string): string | null
  attr(selector: string, name: string): string | null
  /** Markup inside the first match; null if nothing matches. */
  html(selector: string): string | null
  /** Text of every match. */
  all(selector: string): string[]
  /** A view of the page for each match, limited to the content of the match. */
  each(selector: string): PageView[]
  /** A table as rows of cell texts. Keys are the column headings, or positions ("0", "1", …) if there are none. */
  table(selector: string): Array<Record<string, string>>
  /** The first form that the selector matches, with its fields and values, including hidden ones. */
  form(selector: string): FormView
  /** Absolute URLs of the links in this part of the page, without duplicates. */
  links(): string[]
  /** The text of the whole page by line, with facts from the markup. */
  lines(): Line[]
  /** The main content as markdown. For a part of a page, all of its content. */
  markdown(): string
  /** The value of the first of these meta elements that has one: `meta('og:title', 'twitter:title')`. */
  meta(...names: string[]): string | null
  /** The first value at a path of the page's JSON-LD: `jsonld('Product.offers.price')`. */
  jsonld(path: string): Json
  /** Things that the page describes in JSON-LD, microdata or RDFa, of one schema.org type or of all. */
  things(type?: string): Thing[]
  /** The kind of the page: article, product, listing, … For a part of a page, the kind of the whole page. */
  kind(): PageKindVerdict
  /** The body parsed as JSON. */
  json(): Json
  /** Waits until the selector matches, at most `timeoutMs` (default 10 s), and returns the page. A page that was
   *  fetched over HTTP is returned as it is. With `render: auto`, it is fetched again with a browser if nothing
   *  matches. */
  waitForContent(selector: string, options?: { timeoutMs?: number }): Promise<PageView>
  /** Scrolls to the end of the page up to `times` times (default 10), and returns the page. Stops if nothing more
   *  loads, if `until` matches, or after `timeoutMs` (default 10 s). A page that was fetched over HTTP cannot scroll.
   *  With `render: auto`, it is fetched again with a browser, unless `until` already matches. */
  scrollForContent(options?: ScrollOptions): Promise<PageView>
  /** Throws `extract.site-changed` unless the selector matches and its text matches the pattern. */
  expect(selector: string, pattern?: RegExp): void
  /** Throws `extract.site-changed` with the names of missing fields (null or empty). Otherwise returns the fields. */
  require<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields>
}

interface ScrollOptions {
  times?: number
  /** A selector. Scrolling stops when it matches. */
  until?: string
  timeoutMs?: number
}

export type Present<Fields> = { [Name in keyof Fields]: NonNullable<Fields[Name]> }

/** Values by field name. A list if the form sends the name several times. */
export type FormFields = Record<string, string | string[]>

/** A form as a browser would submit it. */
export interface FormView {
  /** The absolute URL that the form is sent to. */
  readonly action: string
  readonly method: 'GET' | 'POST'
  readonly fields: FormFields
}
