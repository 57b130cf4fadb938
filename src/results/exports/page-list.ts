// The list of pages in a WACZ: one line per page, with its title and text.
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import { isPage } from '../warc-exchanges.ts'
import { partMethodField, partOfField } from '../warc-parts.ts'
import { pageOfBlock, type WarcBlock } from '../warc-reader.ts'

/** Title and text of a page, for lists and full-text search. */
export interface PageWords {
  title: string | null
  text: string
}
export type DescribePage = (page: Page) => PageWords | null

/** Maximum number of characters of text per page. */
const mostText = 100_000
/** Maximum number of characters of text of all pages together. The list stays in memory until the archive is complete. */
const mostTexts = 128_000_000

export class PageList {
  readonly #describe: DescribePage
  readonly #lines: string[] = []
  /** Dates of the exchanges that belong to the next page, by URL. */
  #dates = new Map<string, string>()
  #textLength = 0
  first: { url: string; ts: string } | null = null

  constructor(describe: DescribePage = () => null) {
    this.#describe = describe
  }

  get count(): number {
    return this.#lines.length
  }

  /** Call for every record, in the order of the file: the parts of a page precede the page. */
  see(record: WarcBlock): void {
    const { headers } = record
    if (headers.has(partOfField) && !headers.has(partMethodField)) {
      const url = headers.get('WARC-Target-URI') ?? ''
      if (!this.#dates.has(url)) this.#dates.set(url, headers.get('WARC-Date') ?? '')
    }
    if (!isPage(record)) return
    this.#add(pageOfBlock(record), headers)
    this.#dates = new Map()
  }

  #add(page: Page, headers: WarcBlock['headers']): void {
    const { url, ts } = this.#placeOf(page, headers)
    const { title, text } = this.#words(page)
    const id = String(this.#lines.length + 1)
    this.first ??= { url, ts }
    this.#lines.push(`${JSON.stringify({ id, url, ts, ...(title && { title }), ...(text && { text }) })}\n`)
  }

  /** The URL and date under which the page is archived. A script may have changed the final URL of rendered
   *  markup without a request. Then returns the URL that the browser requested. */
  #placeOf({ url, finalUrl }: Page, headers: WarcBlock['headers']): { url: string; ts: string } {
    const date = headers.get('WARC-Date') ?? ''
    if (headers.get('WARC-Type') !== 'resource') return { url: finalUrl, ts: date }
    const asked = [finalUrl, url].map(each => each.split('#', 1)[0]!).find(each => this.#dates.has(each))
    return asked === undefined ? { url, ts: date } : { url: asked, ts: this.#dates.get(asked)! }
  }

  #words(page: Page): Partial<PageWords> {
    try {
      const { title = null, text = '' } = this.#describe(page) ?? {}
      this.#textLength += Math.min(text.length, mostText)
      return { title, text: this.#textLength > mostTexts ? '' : text.slice(0, mostText) }
    } catch (error) {
      // A page that cannot be parsed is listed without title and text.
      if (error instanceof Failure) return {}
      throw error
    }
  }

  text(): string {
    const head = { format: 'json-pages-1.0', id: 'pages', title: 'All pages', hasText: this.#textLength > 0 }
    return `${JSON.stringify(head)}\n${this.#lines.join('')}`
  }
}
