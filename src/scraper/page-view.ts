// The page view: what a scraper sees of a page. Small, typed, and loud when a site has changed.
import type { Line } from '../model/page/line.ts'
import type { PageKindVerdict } from '../model/page/page-kind.ts'
import type { Thing } from '../model/page/thing.ts'
import type { Json } from '../model/record.ts'

export interface PageView {
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  /** The page's language tag; null when it does not say. */
  readonly language: string | null
  /** When the page was fetched, in ms. */
  readonly fetchedAt: number
  /** The page's source as text. */
  readonly source: string
  /** Text of the first match, white space folded; null when nothing matches. */
  text(selector: string): string | null
  attr(selector: string, name: string): string | null
  /** Markup inside the first match. */
  html(selector: string): string | null
  /** Text of every match. */
  all(selector: string): string[]
  /** Every match as a view of its own part of the page. */
  each(selector: string): PageView[]
  /** A table as rows of cell texts, keyed by its head when it has one, else by position ("0", "1", …). */
  table(selector: string): Array<Record<string, string>>
  /** What the first match of the selector would send: its fields with their values, hidden ones too. */
  form(selector: string): FormView
  /** Absolute addresses of the links in this part of the page, each once. */
  links(): string[]
  /** The text of the whole page line by line, with what the markup says about each line. */
  lines(): Line[]
  /** The main content as markdown; of a part of a page, all of it. */
  markdown(): string
  /** The first of these meta elements that says something: `meta('og:title', 'twitter:title')`. */
  meta(...names: string[]): string | null
  /** The first value at a path of the page's JSON-LD: `jsonld('Product.offers.price')`. */
  jsonld(path: string): Json
  /** What the page describes for programs (JSON-LD, then microdata, then RDFa), of one schema.org type or of all. */
  things(type?: string): Thing[]
  /** What the page is: article, product, listing, …; of a part of a page too, the whole page's. */
  kind(): PageKindVerdict
  /** The body as JSON. */
  json(): Json
  /**
   * The page once the selector matches something, or as it is when `timeoutMs` (10 s) passed first. A page that was had plainly
   * is looked at as it is; with `render: auto` it is asked for again, by browser, if nothing matches.
   */
  waitForContent(selector: string, options?: { timeoutMs?: number }): Promise<PageView>
  /**
   * The page after scrolling to its end so many times (10), until nothing more comes, `until` matches, or `timeoutMs` (10 s)
   * passed. A page that was had plainly is as long as it is; with `render: auto` it is asked for again, by browser, unless
   * `until` matches already.
   */
  scrollForContent(options?: ScrollOptions): Promise<PageView>
  /** Throws `extract.site-changed` unless the selector matches, and its text the pattern. */
  expect(selector: string, pattern?: RegExp): void
  /** Throws `extract.site-changed`, naming them all, when some of these were not found (null, empty); else gives them back. */
  require<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields>
}

export interface ScrollOptions {
  times?: number
  /** A selector: enough has come when it matches something. */
  until?: string
  timeoutMs?: number
}

export type Present<Fields> = { [Name in keyof Fields]: NonNullable<Fields[Name]> }

/** Values by name; several where a form sends the name several times. */
export type FormFields = Record<string, string | string[]>

/** A form as a browser would send it if someone pressed Enter in it. */
export interface FormView {
  /** Where it goes, absolute. */
  readonly action: string
  readonly method: 'GET' | 'POST'
  readonly fields: FormFields
}
