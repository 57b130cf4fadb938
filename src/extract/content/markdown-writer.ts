// Assembles markdown: blocks with prefixes (quotes, list items), and inline text with open spans (emphasis, links).
import { cutControls, withSingleSpaces } from '../../lib/text/clean-text.ts'
import { escapeInline, escapeLineStart } from './markdown-text.ts'

/** An open quote or list item. Its first line has one prefix, all others another. */
interface Frame {
  first: string
  rest: string
  isUsed: boolean
  /** True if no blank line precedes the item: it follows another item, or its list is inside an item. */
  isTight: boolean
}

/** An open emphasis or link, with the markers around its text. */
interface Span {
  /** The text before the span. It is stored separately, so that a long text is not copied at the end of each span. */
  outer: string
  before: string
  after: string
  /** True for a link. A markdown link must be one line, so a link around several blocks is written only in the first
   *  block. */
  isLink: boolean
  isDone: boolean
}

/** Maximum nesting of quotes and list items. Deeper levels are not shown, because each level lengthens every line. */
const maxFrames = 12
const maxSpans = 20

export class MarkdownWriter {
  /** True where blocks are not possible (table cells, headings). Each block is then replaced by a space. */
  readonly isInline: boolean
  #out = ''
  #inline = ''
  #isAfterSpace = true
  readonly #spans: Span[] = []
  readonly #frames: Frame[] = []

  constructor(isInline = false) {
    this.isInline = isInline
  }

  text(raw: string): void {
    this.#append(isPlain(raw) ? raw : escapeInline(withSingleSpaces(cutControls(raw))))
  }

  /** Adds text that needs no escaping and has no white space at its ends. `hasLead` and `hasTrail` say
   *  whether white space is before and after it. */
  words(words: string, hasLead: boolean, hasTrail: boolean): void {
    if (hasLead && !this.#isAfterSpace) {
      this.#inline += ' '
      this.#isAfterSpace = true
    }
    if (words === '') return
    this.#inline += hasTrail ? `${words} ` : words
    this.#isAfterSpace = hasTrail
  }

  /** Adds text that is already markdown, such as an image or a code span. */
  markup(markdown: string): void {
    this.#append(markdown)
  }

  lineBreak(): void {
    this.#append(this.isInline ? ' ' : '\n')
    this.#isAfterSpace = true
  }

  #append(piece: string): void {
    const text = this.#isAfterSpace && piece !== '\n' ? piece.trimStart() : piece
    if (text === '') return
    this.#inline += text
    this.#isAfterSpace = text.endsWith(' ')
  }

  openSpan(before: string, after: string, isLink: boolean): boolean {
    if (this.#spans.length >= maxSpans) return false
    this.#spans.push({ outer: this.#inline, before, after, isLink, isDone: false })
    this.#inline = ''
    return true
  }

  closeSpan(): void {
    const span = this.#spans.pop()
    if (span !== undefined) this.#inline = span.outer + wrapped(this.#inline, span)
  }

  openFrame(first: string, rest: string, isTight: boolean): boolean {
    this.endBlock()
    if (this.#frames.length >= maxFrames) return false
    this.#frames.push({ first, rest, isUsed: false, isTight })
    return true
  }

  closeFrame(): void {
    this.endBlock()
    this.#frames.pop()
  }

  /** Ends the current paragraph. Where blocks are not possible, adds a space. */
  endBlock(): void {
    if (this.isInline) {
      this.#append(' ')
      return
    }
    const text = this.takeInline()
    if (text === '') return
    if (!text.includes('\n')) {
      this.block(escapeLineStart(text))
      return
    }
    for (const paragraph of text.split(/\n{2,}/)) {
      this.block(paragraph.split('\n').map(escapeLineStart).join('  \n'))
    }
  }

  /** Returns the inline text so far. Open spans are closed in it and reopened afterwards. */
  takeInline(): string {
    let text = this.#inline
    for (let index = this.#spans.length - 1; index >= 0; index--) {
      const span = this.#spans[index]!
      text = span.outer + wrapped(text, span)
      span.outer = ''
    }
    this.#inline = ''
    this.#isAfterSpace = true
    return text.replaceAll(' \n', '\n').trim()
  }

  /** Wraps text in the markers of the open spans. Used for a heading inside a link. */
  inSpans(text: string): string {
    let inner = text
    for (const span of this.#spans.toReversed()) {
      if (!span.isLink || !span.isDone) inner = inSpan(inner, span)
      span.isDone = true
    }
    return inner
  }

  /** Adds a finished block with the prefixes of the open quotes and list items. */
  block(markdown: string): void {
    if (markdown === '') return
    if (this.#frames.length === 0) {
      this.#out += this.#out === '' ? markdown : `\n\n${markdown}`
      return
    }
    let first = ''
    let rest = ''
    /** The prefix that this block shares with the previous one. */
    let shared = ''
    let opened: Frame | null = null
    for (const frame of this.#frames) {
      if (frame.isUsed) {
        first += frame.rest
        shared += frame.rest
      } else {
        opened ??= frame
        // A callout starts with a line of its own, which also needs the outer prefixes.
        first += frame.first.includes('\n') ? frame.first.replace('\n', `\n${rest}`) : frame.first
        frame.isUsed = true
      }
      rest += frame.rest
    }
    if (this.#out !== '') this.#out += opened?.isTight ? '\n' : `\n${shared.trimEnd()}\n`
    this.#out += first + (rest === '' ? markdown : indented(markdown, rest))
  }

  finish(): string {
    if (this.isInline) return this.takeInline()
    this.endBlock()
    return this.#out
  }
}

function indented(markdown: string, prefix: string): string {
  if (!markdown.includes('\n')) return markdown
  return markdown
    .split('\n')
    .map((line, index) => (index === 0 ? line : line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n')
}

/** Puts the markers around the text, but leaves spaces outside: `**bold **` is not bold in markdown. */
function wrapped(inner: string, span: Span): string {
  const text = inner.trim()
  if (text === '' || (span.isLink && span.isDone)) return inner
  span.isDone = true
  if (text.length === inner.length) return inSpan(text, span)
  const start = inner.indexOf(text)
  return inner.slice(0, start) + inSpan(text, span) + inner.slice(start + text.length)
}

function inSpan(text: string, { before, after, isLink }: Span): string {
  return before + (isLink && text.includes('\n') ? text.replaceAll('\n', ' ') : text) + after
}

/** True in the common case: no character needs to be escaped, removed or collapsed. */
export const isPlain = (text: string): boolean => !needsCare.test(text)
const needsCare = /[\0-\x1f\x7f-\xa0\u00ad\u200b\u2060\ufeff\\`*_\]<~]| {2}|&(?=#?\w{1,32};)/
