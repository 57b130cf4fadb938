// The page view: the interface of scrapers to a page. Small, typed, and strict about site changes.
import type { Line } from '../model/page/line.ts'
import type { PageKindVerdict } from '../model/page/page-kind.ts'
import type { Thing } from '../model/page/thing.ts'
import type { Json } from '../model/record.ts'

export interface PageView {
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  /** The page's language tag; null if not declared. */
  readonly language: string | null
  /** When the page was fetched, in ms. */
  readonly fetchedAt: number
  /** The page's source as text. */
  readonly source: string
  /** Text of the first match with collapsed white space; null without a match. */
  text(selector: string): string | null
  attr(selector: string, name: string): string | null
  /** Markup inside the first match. */
  html(selector: string): string | null
  /** Text of every match. */
  all(selector: string): string[]
  /** Every match as a view of its part. */
  each(selector: string): PageView[]
  /** A table as rows of cell texts, keyed by its head, else by position ("0", "1", …). */
  table(selector: string): Array<Record<string, string>>
  /** The form that matches: its fields and values, with hidden ones. */
  form(selector: string): FormView
  /** Absolute addresses of the links in this part of the page, each once. */
  links(): string[]
  /** The text of the whole page by line, with facts from the markup. */
  lines(): Line[]
  /** The main content as markdown; for a part of a page, all of it. */
  markdown(): string
  /** The first of these meta elements with a value: `meta('og:title', 'twitter:title')`. */
  meta(...names: string[]): string | null
  /** The first value at a path of the page's JSON-LD: `jsonld('Product.offers.price')`. */
  jsonld(path: string): Json
  /** Things that the page describes (JSON-LD, then microdata, then RDFa), of one schema.org type or all. */
  things(type?: string): Thing[]
  /** The kind of the page: article, product, listing, …; for a part too, that of the whole page. */
  kind(): PageKindVerdict
  /** The body as JSON. */
  json(): Json
  /** The page once the selector matches, or after `timeoutMs` (10 s). A page fetched over HTTP is returned as it is; with
   *  `render: auto` it is fetched again with a browser if nothing matches. */
  waitForContent(selector: string, options?: { timeoutMs?: number }): Promise<PageView>
  /** The page after scrolling to its end this many times (10), until nothing more loads, `until` matches, or `timeoutMs` (10
   *  s) passed. A page fetched over HTTP cannot scroll; with `render: auto` it is fetched again with a browser, unless
   *  `until` already matches. */
  scrollForContent(options?: ScrollOptions): Promise<PageView>
  /** Throws `extract.site-changed` unless the selector matches, and its text the pattern. */
  expect(selector: string, pattern?: RegExp): void
  /** Throws `extract.site-changed` with the names of missing fields (null, empty); else returns the fields. */
  require<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields>
}

export interface ScrollOptions {
  times?: number
  /** A selector: stops when it matches. */
  until?: string
  timeoutMs?: number
}

export type Present<Fields> = { [Name in keyof Fields]: NonNullable<Fields[Name]> }

/** Values by name; a list if the form sends the name several times. */
export type FormFields = Record<string, string | string[]>

/** A form as a browser would submit it. */
export interface FormView {
  /** Its absolute target. */
  readonly action: string
  readonly method: 'GET' | 'POST'
  readonly fields: FormFields
}
