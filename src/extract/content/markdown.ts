// Writes a part of a page as markdown, in one pass over its nodes with a stack of open elements.
import { cleanText, withSingleSpaces } from '../../lib/text/clean-text.ts'
import { AddressResolver } from '../address-resolver.ts'
import { type FlatDocument, type NodeId, nameSet, nextNamed, tag } from '../document/index.ts'
import { calloutOf } from './callouts.ts'
import { codeLanguage } from './code-language.ts'
import { codeText, isBesideCode, isLineNumbers } from './code-text.ts'
import { type Footnote, Footnotes } from './footnotes.ts'
import { type Formula, formulaOf, mayHaveFormulas, writtenFormula } from './formulas.ts'
import { imageSource, isContentImage } from './images.ts'
import type { Content } from './main-content.ts'
import { form, forms } from './markdown-elements.ts'
import { isDataTable, tableShape, writeTable } from './markdown-table.ts'
import { codeBlock, codeSpan, escapeInline, linkTarget } from './markdown-text.ts'
import { isPlain, MarkdownWriter } from './markdown-writer.ts'
import { type PageTexts, pageTexts } from './page-texts.ts'

export function toMarkdown(document: FlatDocument, content: Content, baseUrl: string): string {
  const page = {
    document,
    content,
    addresses: new AddressResolver(baseUrl),
    hasFormulas: mayHaveFormulas(document),
    hasCode: nextNamed(document, preformatted, 1) !== -1,
    footnotes: new Footnotes(document, content),
    texts: pageTexts(document),
  }
  const walk = new Walk(page, new MarkdownWriter(), false)
  walk.run(content.root, document.end(content.root))
  return walk.finish()
}

const preformatted = nameSet('pre')

/** Actions at the end of an element. */
const closing = { block: 0, span: 1, frame: 2, list: 3 } as const

/** State that all passes over one page share. */
interface Page {
  document: FlatDocument
  content: Content
  addresses: AddressResolver
  hasFormulas: boolean
  hasCode: boolean
  footnotes: Footnotes
  texts: PageTexts
}

interface List {
  /** Number of the next item; null for a list without numbers. */
  next: number | null
  /** True if no blank line precedes the next item. */
  isTight: boolean
}

class Walk {
  readonly #page: Page
  readonly #document: FlatDocument
  readonly #content: Content
  readonly #writer: MarkdownWriter
  readonly #isHeading: boolean
  readonly #hasFormulas: boolean
  readonly #footnotes: Footnotes
  /** The footnote that is being written; null in the text of the page. */
  #note: Footnote | null = null
  #calloutEnd: NodeId = 0
  #calloutTitle: NodeId = -1
  #isPlainTitle = false
  /** The ends of open elements, innermost last. `#closings` says what to do at each. */
  readonly #ends: NodeId[] = []
  readonly #closings: number[] = []
  readonly #lists: List[] = []

  constructor(page: Page, writer: MarkdownWriter, isHeading: boolean) {
    this.#page = page
    this.#document = page.document
    this.#content = page.content
    this.#hasFormulas = page.hasFormulas
    this.#footnotes = page.footnotes
    this.#writer = writer
    this.#isHeading = isHeading
  }

  run(first: NodeId, end: NodeId): void {
    const document = this.#document
    const ends = this.#ends
    for (let node = first; node < end; node++) {
      while (ends.length > 0 && node >= ends[ends.length - 1]!) this.#closeInnermost()
      if (document.isText(node)) {
        if (!this.#content.isDropped(node)) this.#text(node)
      } else if (document.isElement(node) && !this.#enter(node)) node = document.end(node) - 1
    }
    while (ends.length > 0) this.#closeInnermost()
  }

  #text(node: NodeId): void {
    const { texts } = this.#page
    if (texts.isPlain(node)) this.#writer.words(texts.words(node), texts.hasLead(node), texts.hasTrail(node))
    else this.#writer.text(this.#document.text(node))
  }

  /** Writes the notes to which the text refers, and returns the markdown. */
  finish(): string {
    for (const note of this.#footnotes.found) {
      this.#note = note
      this.#writer.openFrame(`[^${note.label}]: `, '    ', false)
      this.run(note.node + 1, this.#document.end(note.node))
      this.#writer.closeFrame()
    }
    return this.#writer.finish()
  }

  /** Writes the start of an element. Returns false if the content must not be visited: it is already written or left
   *  out. */
  #enter(node: NodeId): boolean {
    const document = this.#document
    const id = document.tag(node)
    const formula = this.#hasFormulas ? formulaOf(document, node, document.name(node)) : null
    if (formula !== null) return this.#formula(formula)
    if (id === tag.iframe) return this.#embed(node)
    if (this.#content.isDropped(node) || this.#footnotes.isNote(node)) return false
    if (this.#note !== null && this.#footnotes.isBacklink(node, document.name(node), this.#note)) return false
    if (node === this.#calloutTitle) return !this.#isPlainTitle && this.#boldBlock(node)
    switch (forms[id]) {
      case form.inline:
        return id !== tag.span || !this.#isBesideCode(node)
      case form.block:
        if (this.#isBesideCode(node)) return false
        return this.#callout(node) || this.#block(node)
      case form.heading:
        return this.#heading(node, id - tag.h1 + 1)
      case form.bold:
        return this.#isHeading || this.#span(node, '**', '**')
      case form.italic:
        return this.#span(node, '*', '*')
      case form.deleted:
        return this.#span(node, '~~', '~~')
      case form.term:
        return this.#boldBlock(node)
      case form.link:
        return this.#link(node)
      case form.image:
        return this.#image(node)
      case form.lineBreak:
        this.#writer.lineBreak()
        return false
      case form.rule:
        this.#writer.endBlock()
        if (!this.#writer.isInline) this.#writer.block('---')
        return false
      case form.code:
        return this.#codeBlock(node)
      case form.codeSpan:
        return this.#codeSpan(node)
      case form.raised:
        return this.#reference(this.#footnotes.referredIn(node)) === null
      case form.quote:
        return this.#callout(node) || this.#frame(node, '> ', '> ', false)
      case form.list:
        return this.#list(node, id === tag.ol)
      case form.item:
        return this.#item(node)
      case form.table:
        return this.#table(node)
      case form.cell:
        return !isLineNumbers(document, node) && this.#block(node)
      case form.quotation:
        return this.#span(node, '“', '”')
      case form.reading:
        return this.#span(node, '(', ')')
      default:
        return this.#checkbox(node)
    }
  }

  #isBesideCode(node: NodeId): boolean {
    return this.#page.hasCode && isBesideCode(this.#document, node)
  }

  #callout(node: NodeId): boolean {
    if (node < this.#calloutEnd || this.#writer.isInline) return false
    const callout = calloutOf(this.#document, node)
    if (callout === null || !this.#writer.openFrame(`> [!${callout.kind}]\n> `, '> ', false)) return false
    this.#calloutEnd = this.#document.end(node)
    this.#calloutTitle = callout.title
    this.#isPlainTitle = callout.isPlainTitle
    return this.#onEnd(node, closing.frame)
  }

  #reference(label: string | null): string | null {
    if (label !== null) this.#writer.markup(`[^${label}]`)
    return label
  }

  /** Writes videos, posts and sounds of other sites as links. */
  #embed(node: NodeId): false {
    const source = this.#document.attribute(node, 'src') || this.#document.attribute(node, 'data-src')
    const url = this.#webAddress(source)
    const host = url === null ? null : embedHost.exec(URL.parse(url)?.host ?? '')
    if (url === null || host === null) return false
    const title = cleanText(this.#document.attribute(node, 'title') ?? '') || host[1]!
    this.#writer.markup(` [${escapeInline(title)}](${linkTarget(url)}) `)
    return false
  }

  #formula(formula: Formula): false {
    if (formula.isDisplay && !this.#writer.isInline) {
      this.#writer.endBlock()
      this.#writer.block(writtenFormula(formula))
    } else this.#writer.markup(writtenFormula(formula))
    return false
  }

  #onEnd(node: NodeId, how: number): true {
    this.#ends.push(this.#document.end(node))
    this.#closings.push(how)
    return true
  }

  #closeInnermost(): void {
    this.#ends.pop()
    const how = this.#closings.pop()
    if (how === closing.span) this.#writer.closeSpan()
    else if (how === closing.frame) this.#writer.closeFrame()
    else this.#writer.endBlock()
    if (how === closing.list) this.#lists.pop()
  }

  #block(node: NodeId): true {
    this.#writer.endBlock()
    return this.#onEnd(node, closing.block)
  }

  #span(node: NodeId, before: string, after: string, isLink = false): true {
    if (this.#writer.openSpan(before, after, isLink)) this.#onEnd(node, closing.span)
    return true
  }

  #boldBlock(node: NodeId): true {
    return this.#block(node) && this.#span(node, '**', '**')
  }

  #frame(node: NodeId, first: string, rest: string, isTight: boolean): true {
    if (this.#writer.isInline) return this.#block(node)
    if (this.#writer.openFrame(first, rest, isTight)) this.#onEnd(node, closing.frame)
    return true
  }

  #heading(node: NodeId, level: number): boolean {
    if (this.#writer.isInline) return this.#block(node)
    this.#writer.endBlock()
    const text = this.#lineOf(node, true)
    if (text !== '') this.#writer.block(`${'#'.repeat(level)} ${this.#writer.inSpans(text)}`)
    return false
  }

  /** A subtree as one line, for headings and table cells. It cannot recurse, because a line contains no headings or
   *  cells. */
  #lineOf(node: NodeId, isHeading: boolean): string {
    const text = node + 1
    if (this.#document.end(node) === text + 1 && this.#document.isText(text)) {
      if (this.#content.isDropped(text)) return ''
      const { texts } = this.#page
      if (texts.isPlain(text)) return texts.words(text)
      const raw = this.#document.text(text)
      if (isPlain(raw)) return withSingleSpaces(raw.trim())
    }
    const writer = new MarkdownWriter(true)
    new Walk(this.#page, writer, isHeading).run(node + 1, this.#document.end(node))
    return withSingleSpaces(writer.finish())
  }

  #link(node: NodeId): boolean {
    if (this.#isHeading && isPermalink(this.#document, node)) return false
    const href = this.#document.attribute(node, 'href')
    if (this.#reference(this.#footnotes.referredBy(node, href)) !== null) return false
    const url = this.#webAddress(href)
    if (url === null) return true
    return this.#span(node, '[', `](${linkTarget(url)})`, true)
  }

  #webAddress(href: string | null): string | null {
    if (href === null || href.startsWith('#')) return null
    const url = this.#page.addresses.resolve(href)
    return url !== null && /^(?:https?|mailto|tel):/.test(url) ? url : null
  }

  /** Writes images with a description, large images, and images in figures. */
  #image(node: NodeId): false {
    const alt = cleanText(this.#document.attribute(node, 'alt') ?? '')
    const isContent = alt !== '' || isContentImage(this.#document, node)
    const source = isContent ? imageSource(this.#document, node) : null
    const url = source === null ? null : this.#webAddress(source)
    if (url !== null) this.#writer.markup(` ![${escapeInline(alt)}](${linkTarget(url)}) `)
    return false
  }

  #codeBlock(node: NodeId): false {
    const text = codeText(this.#document, node)
    if (this.#writer.isInline) {
      if (text !== '') this.#writer.markup(codeSpan(cleanText(text)))
      return false
    }
    this.#writer.endBlock()
    if (text !== '') this.#writer.block(codeBlock(text, codeLanguage(this.#document, node)))
    return false
  }

  #codeSpan(node: NodeId): boolean {
    // Highlighters put tables and blocks into code elements. Such an element is not a code span.
    if (holdsBlock(this.#document, node)) return this.#block(node)
    const text = this.#cleanText(node)
    if (text !== '') this.#writer.markup(codeSpan(text))
    return false
  }

  /** Same result as `cleanText`, but faster for the common element with one text that needs no changes. */
  #cleanText(node: NodeId): string {
    const { texts } = this.#page
    const inner = node + 1
    const isOne = this.#document.end(node) === inner + 1 && this.#document.isText(inner)
    return isOne && texts.isClean(inner) ? texts.words(inner) : cleanText(this.#document.text(node))
  }

  #list(node: NodeId, isNumbered: boolean): true {
    const start = isNumbered ? Number(this.#document.attribute(node, 'start') ?? 1) : 1
    const next = isNumbered ? (Number.isSafeInteger(start) ? start : 1) : null
    this.#writer.endBlock()
    this.#lists.push({ next, isTight: this.#lists.length > 0 })
    return this.#onEnd(node, closing.list)
  }

  #item(node: NodeId): true {
    const list = this.#lists.at(-1) ?? { next: null, isTight: false }
    const marker = list.next === null ? '- ' : `${list.next++}. `
    this.#frame(node, marker, ' '.repeat(marker.length), list.isTight)
    list.isTight = true
    return true
  }

  #checkbox(node: NodeId): false {
    if (this.#document.attribute(node, 'type') !== 'checkbox' || this.#lists.length === 0) return false
    this.#writer.markup(this.#document.attribute(node, 'checked') === null ? '[ ] ' : '[x] ')
    return false
  }

  #table(node: NodeId): boolean {
    if (this.#writer.isInline) return this.#block(node)
    const shape = tableShape(this.#document, node)
    if (!isDataTable(this.#document, node, shape)) return this.#block(node)
    this.#writer.endBlock()
    if (shape.caption !== null) this.#writer.block(this.#lineOf(shape.caption, false))
    this.#writer.block(writeTable(this.#document, shape.rows, cell => this.#lineOf(cell, false)))
    return false
  }
}

function holdsBlock(document: FlatDocument, code: NodeId): boolean {
  const end = document.end(code)
  for (let node = code + 1; node < end; node++) {
    const id = document.tag(node)
    if (id === tag.pre || id === tag.table) return true
  }
  return false
}

const embedHost =
  /(?:^|\.)(youtube(?:-nocookie)?\.com|youtu\.be|vimeo\.com|dailymotion\.com|twitter\.com|x\.com|instagram\.com|tiktok\.com|spotify\.com|soundcloud\.com|facebook\.com|codepen\.io|bsky\.app|ted\.com)$/

/** True for the small link at a heading that points to the heading itself. */
function isPermalink(document: FlatDocument, link: NodeId): boolean {
  const classes = document.attribute(link, 'class') ?? ''
  return /header-?link|anchor|permalink|hash-link/i.test(classes) || /^[\s#¶§🔗]*$/u.test(document.text(link))
}
