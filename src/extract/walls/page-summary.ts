// A summary of a page with little text: title, headings, forms and buttons.
import { cleanText } from '../../lib/text/clean-text.ts'
import { headerOf } from '../../model/page/page.ts'
import { unreadElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import type { Answer } from './wall.ts'

/** Maximum number of characters that are read. Walls are short, so further text is ignored. */
const maxText = 4_000

export class PageSummary {
  readonly answer: Answer
  readonly asked: URL
  readonly final: URL
  title = ''
  /** Headings of levels 1 and 2. */
  readonly headings: string[] = []
  /** The start of the readable text, including menus, up to about `maxText` characters. */
  text = ''
  /** Number of characters outside links, menus, headers and footers. */
  mainLength = 0
  links = 0
  images = 0
  passwords = 0
  /** Number of input fields besides passwords. A text area counts as two. */
  fields = 0
  readonly buttons: string[] = []
  readonly iframes: string[] = []
  /** Target of a meta refresh; null if there is none. */
  refresh: string | null = null

  readonly #isMarked: boolean

  /** `isMarked` is false if the source certainly contains no markers of walls. */
  constructor(answer: Answer, isMarked: boolean) {
    this.answer = answer
    this.#isMarked = isMarked
    this.asked = new URL(answer.url)
    this.final = new URL(answer.finalUrl)
    const document = answer.document()
    let besideEnd = 0
    for (let node = 1; node < document.size; node++) {
      if (document.isText(node)) this.#read(document.text(node), node < besideEnd)
      else if (document.isElement(node)) {
        const name = document.name(node)
        this.#meet(document, node, name)
        if (name !== 'head' && unreadElements.has(name)) node = document.end(node) - 1
        else if (besideContent.has(name)) besideEnd = Math.max(besideEnd, document.end(node))
        else if (name === 'title') node = document.end(node) - 1
      }
    }
    this.text = cleanText(this.text)
  }

  get status(): number {
    return this.answer.status
  }

  get titleParts(): string[] {
    return titleParts(this.title)
  }

  /** Parts of the title, and headings. One of them may contain the message of a wall. */
  get names(): string[] {
    return [...this.titleParts, ...this.headings]
  }

  /** The first title part or heading that matches the pattern. */
  named(pattern: RegExp): string | null {
    return this.names.find(name => pattern.test(name)) ?? null
  }

  header(name: string): string {
    return headerOf(this.answer.headers, name) ?? ''
  }

  has(mark: string): boolean {
    return this.#isMarked && this.answer.source.includes(mark)
  }

  /** True if the final URL is another page than the requested one. */
  get isElsewhere(): boolean {
    return this.final.host !== this.asked.host || this.final.pathname !== this.asked.pathname
  }

  /** True for a form with another purpose than passing the wall, such as a message, an order or a registration. */
  get hasOtherForm(): boolean {
    return this.fields > 1 && this.passwords === 0
  }

  #read(text: string, isBeside: boolean): void {
    const trimmed = text.trim()
    if (trimmed === '') return
    if (!isBeside) this.mainLength += trimmed.length
    if (this.text.length < maxText) this.text += ` ${trimmed}`
  }

  #meet(document: FlatDocument, node: NodeId, name: string): void {
    if (name === 'a') this.links++
    else if (name === 'img' || name === 'picture') this.images++
    else if (name === 'title') this.title ||= document.isForeign(node) ? '' : cleanText(document.text(node))
    else if (name === 'h1' || name === 'h2') this.#addHeading(document, node)
    else if (name === 'textarea') this.fields += 2
    else if (name === 'input') this.#meetInput(document, node)
    else if (name === 'button') this.buttons.push(cleanText(elementText(document, node)).slice(0, 80))
    else if (name === 'iframe') this.iframes.push(document.attribute(node, 'src') ?? '')
    else if (name === 'meta') this.#meetMeta(document, node)
  }

  #addHeading(document: FlatDocument, node: NodeId): void {
    const text = cleanText(elementText(document, node))
    if (text !== '') this.headings.push(text)
  }

  #meetInput(document: FlatDocument, node: NodeId): void {
    const type = (document.attribute(node, 'type') ?? 'text').trim().toLowerCase()
    if (type === 'password') this.passwords++
    else if (type === 'submit' || type === 'button')
      this.buttons.push((document.attribute(node, 'value') ?? '').slice(0, 80))
    else if (written.has(type) && !/captcha|search/i.test(document.startTag(node))) this.fields++
  }

  #meetMeta(document: FlatDocument, node: NodeId): void {
    if ((document.attribute(node, 'http-equiv') ?? '').toLowerCase() !== 'refresh') return
    const found = /;\s*url\s*=\s*['"]?([^'"\s]+)/i.exec(document.attribute(node, 'content') ?? '')
    this.refresh = found?.[1] ?? null
  }
}

const written = new Set(['text', 'email', 'tel', 'url', 'number', 'date', 'file'])

/** Elements that link to other pages or occur on every page of the site. */
export const besideContent = new Set(['a', 'nav', 'header', 'footer', 'aside', 'button', 'option', 'label'])

/** Splits a title at dashes and bars, because sites add their name to titles. */
export const titleParts = (title: string): string[] =>
  title.split(/\s+[|–—·»•›-]\s+/).map(part => part.trim())

/** The URL without the query, which may contain a secret. */
export const placeOf = (url: URL): string => `${url.origin}${url.pathname}`

/** Quotes a title or heading as evidence of a wall. */
export const quoted = (what: string, text: string): string => `${what} "${text.slice(0, 100)}"`
