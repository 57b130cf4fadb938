// Footnotes: links in the text that point to a note further down, and the notes themselves.
import { cleanText } from '../../lib/text/clean-text.ts'
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { isHidden } from './hidden.ts'
import type { Content } from './main-content.ts'

export interface Footnote {
  label: string
  /** The visible mark of the reference, such as "1" or "*". */
  mark: string
  /** The element that contains the note. */
  node: NodeId
}

/** Class names and roles of references in Pandoc, GitHub, Sphinx, Substack, Word and Hugo. */
const namedReference = /footnote|noteref|fn-?ref|cite-?ref|endnote/i
const noteFragment = /^(?:user-content-)?(?:_?ftn|_?edn|fn|footnote|endnote|cite_note|note)(?:$|[\d:._-])/i
const shortMark = /^[\s[(]*(?:\p{L}+[ \u00a0])?[\p{L}\p{N}*†‡§¶]{1,4}[\s\])]*$/u
const backlinkName = /backlink|footnote-?back|back-?ref|reverse-?footnote|footnote-?number|fn-?back/i
const backlinkText = /^(?:[\s[\]().^↩↑↵⤴⏎⬆↖*†‡\p{N}]|\ufe0e|\ufe0f)*$|^\p{Ll}$/u
const notNotes = new Set('h1 h2 h3 h4 h5 h6 td th tr table main article body figure'.split(' '))
/** Maximum length of a note in characters. A link to a longer element leads to a chapter, not to a note. */
const longestNote = 3_000

export class Footnotes {
  /** Notes in the order of their first reference. While a note is written, notes to which it refers are added. */
  readonly found: Footnote[] = []
  readonly #document: FlatDocument
  readonly #content: Content
  readonly #labels = new Map<NodeId, string>()
  readonly #fragments = new Map<string, string | null>()
  #targets: Map<string, NodeId> | null = null

  constructor(document: FlatDocument, content: Content) {
    this.#document = document
    this.#content = content
  }

  isNote(node: NodeId): boolean {
    return this.found.length > 0 && this.#labels.has(node)
  }

  /** The label of the note to which the link refers. Null if the link is no reference to a note. */
  referredBy(link: NodeId, href = this.#document.attribute(link, 'href')): string | null {
    const hash = href?.indexOf('#') ?? -1
    if (href === null || hash < 0 || !/^(?:\.?\/[^?]*)?$/.test(href.slice(0, hash))) return null
    const fragment = href.slice(hash + 1)
    const known = this.#fragments.get(fragment)
    if (known !== undefined) return known
    const mark = cleanText(this.#document.text(link))
    if (!shortMark.test(mark) || !this.#isReference(link, fragment)) return null
    const label = this.#labelOf(link, fragment, bare(mark))
    this.#fragments.set(fragment, label)
    return label
  }

  /** The label of the note, for a `sup` element that contains only the link to the note. The link may be in
   *  brackets. */
  referredIn(sup: NodeId): string | null {
    const document = this.#document
    for (let node = sup + 1; node < document.end(sup); node++) {
      if (!document.isElement(node) || document.name(node) !== 'a') continue
      return bare(document.text(sup)) === bare(document.text(node)) ? this.referredBy(node) : null
    }
    return null
  }

  /** True for an element that contains only the number of its note, or the link from the note back to the
   *  text. */
  isBacklink(node: NodeId, name: string, note: Footnote): boolean {
    const document = this.#document
    if (name === 'a') return this.#isWayBack(node)
    if (name !== 'span' && name !== 'sup' && name !== 'b') return false
    if (backlinkName.test(document.attribute(node, 'class') ?? '')) return true
    const text = bare(document.text(node))
    if (name === 'sup') return text === note.mark && bareBefore(document, note.node, node) === ''
    for (let inner = node + 1; inner < document.end(node); inner++)
      if (document.isElement(inner) && document.name(inner) === 'a')
        return this.#isWayBack(inner) && bare(document.text(inner)) === text
    return false
  }

  #isWayBack(link: NodeId): boolean {
    const document = this.#document
    const href = document.attribute(link, 'href') ?? ''
    if (!/^(?:\.?\/[^?]*)?#/.test(href)) return false
    const names = `${document.attribute(link, 'class')} ${document.attribute(link, 'role')}`
    return backlinkName.test(names) || backlinkText.test(cleanText(document.text(link)))
  }

  #isReference(link: NodeId, fragment: string): boolean {
    const document = this.#document
    if (noteFragment.test(fragment)) return true
    if (namedReference.test(`${document.attribute(link, 'class')} ${document.attribute(link, 'role')}`))
      return true
    if (document.attribute(link, 'data-footnote-ref') !== null || isIn(document, link, 'sup')) return true
    const child = document.firstChild(link)
    return child > 0 && document.name(child) === 'sup'
  }

  #labelOf(link: NodeId, fragment: string, mark: string): string | null {
    const note = this.#noteAt(link, fragment)
    if (note < 0) return null
    // If two fragments point into one block, the block contains several notes, which cannot be separated.
    if (this.#labels.has(note)) return null
    const label = this.#freeLabel(mark.replace(/[^\p{L}\p{N}]+/gu, '-'))
    this.#labels.set(note, label)
    this.found.push({ label, mark, node: note })
    return label
  }

  #freeLabel(wanted: string): string {
    const taken = new Set(this.#labels.values())
    const base = /[\p{L}\p{N}]/u.test(wanted) ? wanted : `note-${this.found.length + 1}`
    let label = base
    for (let count = 2; taken.has(label); count++) label = `${base}-${count}`
    return label
  }

  /** The block of the note to which the link points. -1 if the target is no note or is hidden. */
  #noteAt(link: NodeId, fragment: string): NodeId {
    const document = this.#document
    let node = this.#targetOf(fragment)
    if (node <= link) return -1
    while (!blockElements.has(document.name(node))) node = document.parent(node)
    if (node <= link || notNotes.has(document.name(node)) || !this.#isShown(node)) return -1
    const text = document.text(node)
    return text.length > longestNote || !/\p{L}{2}|\d{2}/u.test(text) ? -1 : node
  }

  #isShown(note: NodeId): boolean {
    const { isDropped, isPruned, root } = this.#content
    const document = this.#document
    for (let node = note; node > 0 && node !== root; node = document.parent(node))
      if ((isDropped(node) && !isPruned?.(node)) || isHidden(document, node)) return false
    return true
  }

  #targetOf(fragment: string): NodeId {
    this.#targets ??= targetsOf(this.#document)
    return this.#targets.get(fragment) ?? this.#targets.get(decoded(fragment)) ?? -1
  }
}

function targetsOf(document: FlatDocument): Map<string, NodeId> {
  const targets = new Map<string, NodeId>()
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const id =
      document.attribute(node, 'id') ||
      (document.name(node) === 'a' ? document.attribute(node, 'name') : null)
    if (id && !targets.has(id)) targets.set(id, node)
  }
  return targets
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Removes brackets and spaces at both ends, and dots and colons at the end. */
const bare = (text: string): string => text.replace(/^[\s[(]+|[\s\]).:]+$/g, '')

function bareBefore(document: FlatDocument, from: NodeId, to: NodeId): string {
  let text = ''
  for (let node = from + 1; node < to; node++) if (document.isText(node)) text += document.text(node)
  return bare(text)
}

function isIn(document: FlatDocument, node: NodeId, name: string): boolean {
  let parent = document.parent(node)
  for (let level = 0; level < 3 && parent > 0; level++) {
    if (document.name(parent) === name) return true
    parent = document.parent(parent)
  }
  return false
}
