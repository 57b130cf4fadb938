// Removes parts of an article that do not belong to it: links to other pages, announced sections, and short lines at
// both ends.
import { cleanText } from '../../lib/text/clean-text.ts'
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeOf, type DropRule } from './drop-rules.ts'
import { announced, type PhraseKind, pointsElsewhere } from './phrases.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** A part without running text is navigation if at least this share of its text is inside links. */
const linkShare = 0.6
/** A list with more than this share of the text is the purpose of the page, so it stays. */
const mostText = 0.4
/** Lines up to this length count as short. Lines that are sentences count as short only up to `shortSentence`. */
const shortLine = 80
const shortSentence = 20
/** A card links to another page and has at most this share of the article's running text. */
const cardShare = 0.3
const lists = new Set(['ul', 'ol', 'dl', 'table'])
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const kept = new Set(['pre', 'figure', 'math', ...headings])

interface PruneParts {
  survey: Survey
  sums: Sums
  root: NodeId
  body: NodeId
  title: NodeId
  cards: NodeId[]
}

export class Pruning {
  readonly #document: FlatDocument
  readonly #survey: Survey
  readonly #sums: Sums
  readonly #dropped: Uint8Array
  readonly #root: NodeId
  readonly #body: NodeId
  readonly #title: NodeId
  readonly #cards: NodeId[]
  readonly #prose: number
  readonly #text: number

  constructor({ survey, sums, root, body, title, cards }: PruneParts, dropped: Uint8Array) {
    this.#document = survey.document
    this.#survey = survey
    this.#sums = sums
    this.#dropped = dropped
    this.#root = root
    this.#body = body
    this.#title = title
    this.#cards = cards
    this.#prose = sums.prose(body)
    this.#text = sums.text(body)
  }

  run(): void {
    this.#dropCards()
    this.#dropBlocks()
    this.#dropLinkLines()
    this.#trimEnds()
  }

  /** Drops cards, unless they are most of the content. */
  #dropCards(): void {
    const document = this.#document
    const inside = this.#cards.filter(card => card > this.#body && card < document.end(this.#body))
    const text = inside.reduce((sum, card) => sum + this.#sums.text(card), 0)
    if (text > this.#text * mostText) return
    for (const card of inside) this.#dropped[card] ||= codeOf('related')
  }

  #dropBlocks(): void {
    const document = this.#document
    for (let node = this.#root + 1; node < document.end(this.#root); node++) {
      if (this.#dropped[node] !== 0 || node === this.#title) {
        node = document.end(node) - 1
        continue
      }
      if (!document.isElement(node)) continue
      const name = document.name(node)
      if (!blockElements.has(name) || name === 'li') continue
      const rule = this.#ruleFor(node, name)
      if (rule !== null) this.#dropped[node] = codeOf(rule)
      if (rule !== null || lists.has(name) || kept.has(name)) node = document.end(node) - 1
    }
  }

  #ruleFor(node: NodeId, name: string): DropRule | null {
    const sums = this.#sums
    const text = sums.text(node)
    if (text === 0 || (this.#title > node && this.#title < this.#document.end(node))) return null
    const share = sums.linkShare(node)
    const prose = sums.prose(node)
    if (name === 'article' && node > this.#body && prose < this.#prose * cardShare && this.#isCard(node))
      return 'related'
    if (name === 'form' && sums.controls(node) > 0 && prose < this.#prose * cardShare) return 'control'
    const isMost = text > this.#text * mostText
    if (
      prose === 0 &&
      !isMost &&
      !kept.has(name) &&
      share >= linkShare &&
      this.#leadsElsewhere(node, name, share)
    )
      return 'links'
    if (text > 200) return null
    const said = cleanText(this.#document.text(node))
    const kind = announced(said)
    if (kind !== null) return this.#dropAnnounced(node, kind)
    return share > 0.3 && pointsElsewhere(said) ? 'read-more' : null
  }

  /** True if the heading of the element, or much of its text, is a link. */
  #isCard(node: NodeId): boolean {
    if (this.#sums.linkShare(node) > 0.3) return true
    const document = this.#document
    const heading = this.#survey.headings.find(each => each > node && each < document.end(node))
    return heading !== undefined && this.#sums.linkShare(heading) > 0.8
  }

  #leadsElsewhere(node: NodeId, name: string, share: number): boolean {
    if (name === 'p') return share > 0.9 || (share > 0.7 && this.#sums.links(node) > 1)
    return this.#sums.links(node) > 1 || share > 0.9
  }

  /** Drops the line and the content that it announces. */
  #dropAnnounced(node: NodeId, rule: PhraseKind): DropRule {
    const document = this.#document
    const code = codeOf(rule)
    for (let next = document.nextSibling(node); next >= 0; next = document.nextSibling(next)) {
      if (!document.isElement(next) || this.#dropped[next] !== 0) continue
      if (this.#sums.text(next) === 0) continue
      if (headings.has(document.name(next)) || this.#sums.linkShare(next) < 0.25) break
      this.#dropped[next] = code
    }
    return rule
  }

  /** Drops text between blocks that consists of only one link. */
  #dropLinkLines(): void {
    const { text, link } = this.#survey
    const document = this.#document
    const code = codeOf('links')
    for (let node = this.#root + 1; node < document.end(this.#root); node++) {
      if (this.#dropped[node] !== 0) node = document.end(node) - 1
      else if (link[node]! > 24 && link[node]! > text[node]! * 0.9) {
        const line = this.#linkAround(node)
        if (line >= 0) this.#dropped[line] = code
      }
    }
  }

  /** The link that contains the text. -1 if there is none, or if the text is in a list, table or heading. */
  #linkAround(text: NodeId): NodeId {
    const document = this.#document
    let link = -1
    for (let node = document.parent(text); node > this.#root; node = document.parent(node)) {
      const name = document.name(node)
      if (name === 'a' && link < 0) link = node
      if (name === 'li' || name === 'td' || headings.has(name)) return -1
    }
    return link
  }

  /** Drops short lines before the first and after the last running text, such as dates, labels and notes of the site. */
  #trimEnds(): void {
    const blocks = this.#blocks()
    const { prose } = this.#survey
    const first = blocks.findIndex(block => prose[block]! > 0)
    const last = blocks.findLastIndex(block => prose[block]! > 0)
    if (first < 0) return
    this.#trim(blocks.slice(0, first), 'opening')
    this.#trim(blocks.slice(last + 1), 'ending')
  }

  /** For each block that is not dropped, its first text node. */
  #blocks(): NodeId[] {
    const found: NodeId[] = []
    const document = this.#document
    for (let node = this.#root + 1; node < document.end(this.#root); node++) {
      if (this.#dropped[node] !== 0 || node === this.#title) node = document.end(node) - 1
      else if (this.#survey.text[node]! > 0) found.push(node)
    }
    return found
  }

  #trim(blocks: NodeId[], rule: DropRule): void {
    const { text, sentence } = this.#survey
    const length = blocks.reduce((sum, block) => sum + text[block]!, 0)
    if (length > this.#prose * 0.3) return
    const code = codeOf(rule)
    let isKept = rule === 'opening'
    for (const block of blocks.toReversed()) {
      // The heading of content that stays also stays.
      if (isKept && this.#isHeading(block)) continue
      const isLine = text[block]! <= shortLine && !(sentence[block] === 1 && text[block]! > shortSentence)
      const element = isLine ? this.#blockOf(block) : -1
      if (element >= 0) this.#dropped[element] ||= code
      else isKept = true
    }
  }

  #isHeading(text: NodeId): boolean {
    const document = this.#document
    for (let node = document.parent(text); node > this.#root; node = document.parent(node))
      if (headings.has(document.name(node))) return true
    return false
  }

  /** The block that contains the line. If the block also contains other blocks, the text node itself. -1 for
   *  lines of lists, tables and code. */
  #blockOf(text: NodeId): NodeId {
    const document = this.#document
    let found = -1
    for (let node = document.parent(text); node > this.#root; node = document.parent(node)) {
      const name = document.name(node)
      if (name === 'li' || name === 'td' || name === 'th' || name === 'pre' || name === 'dd' || name === 'dt')
        return -1
      if (found < 0 && blockElements.has(name)) found = node
    }
    // If the element also contains other blocks, drop only the line.
    return found < 0 || this.#sums.text(found) > this.#survey.text[text]! ? text : found
  }
}
