// Measures a page in one pass: text, links and running text per block.
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeOf } from './drop-rules.ts'
import { controls, named, roleByAria, roleByTag, unreadable } from './elements.ts'
import { isForScreenReaders, isHidden, mayBeHidden } from './hidden.ts'
import { type Named, Names, type Role, unnamed } from './names.ts'
import { measure, type TextMeasure } from './text-measure.ts'

/** A region whose tag or name says its purpose. */
export interface Region {
  node: NodeId
  role: Role
  /** Whether the tag or the ARIA role says it; names are weaker. */
  isTagged: boolean
  /** Whether only one word of the name says it. */
  isLoose: boolean
}

/** Values per node; those of a block are at its first text. */
export interface Survey {
  document: FlatDocument
  body: NodeId
  /** One of `unreadCodes` for unread subtrees; else 0. */
  unread: Uint8Array
  text: Int32Array
  link: Int32Array
  /** Text of blocks that are sentences, without their links. */
  prose: Int32Array
  /** Running text, plus half of lists, tables and code. */
  matter: Int32Array
  /** 1 if a sentence ends in the block. */
  sentence: Uint8Array
  control: Int32Array
  links: Int32Array
  regions: Region[]
  hidden: NodeId[]
  mains: NodeId[]
  articles: NodeId[]
  /** Elements that the page names as article body. */
  bodies: NodeId[]
  headings: NodeId[]
}

/** Codes of drop rules for unread content. */
export const unreadCodes = { never: codeOf('unread'), control: codeOf('control') } as const

/** Without links, this much text in a block is a sentence when a sentence ends in it. */
const sentenceLength = 40
/** And this much without one. */
const longLength = 140

/** Leads are sometimes marked up as headings, but headings are shorter. */
const leadLength = 90

export function surveyOf(document: FlatDocument): Survey {
  return new Surveyor(document).run()
}

/** Pages of a site share their class names. */
const names = new Names()

class Surveyor {
  readonly #document: FlatDocument
  readonly #survey: Survey
  readonly #names = names
  /** Ends of the open block elements, innermost last. */
  readonly #blockEnds: NodeId[] = []
  #linkEnd: NodeId = 0
  #headingEnd: NodeId = 0
  #listEnd: NodeId = 0
  #codeEnd: NodeId = 0
  /** The open block: its first text and its counts. */
  #start: NodeId = 0
  #text = 0
  #link = 0
  #marks = 0

  constructor(document: FlatDocument) {
    this.#document = document
    const { size } = document
    // One allocation instead of six.
    const values = new Int32Array(size * 6)
    const part = (index: number) => values.subarray(index * size, (index + 1) * size)
    this.#survey = {
      document,
      body: 0,
      unread: new Uint8Array(size),
      text: part(0),
      link: part(1),
      prose: part(2),
      matter: part(3),
      sentence: new Uint8Array(size),
      control: part(4),
      links: part(5),
      regions: [],
      hidden: [],
      mains: [],
      articles: [],
      bodies: [],
      headings: [],
    }
  }

  run(): Survey {
    const document = this.#document
    for (let node = 1; node < document.size; node++) {
      while (this.#blockEnds.length > 0 && node >= this.#blockEnds.at(-1)!) {
        this.#blockEnds.pop()
        this.#flush()
      }
      if (document.isText(node)) this.#read(node)
      else if (document.isElement(node) && !this.#enter(node)) node = document.end(node) - 1
    }
    this.#flush()
    return this.#survey
  }

  #read(node: NodeId): void {
    const { length, marks }: TextMeasure = measure(this.#document.text(node))
    if (length === 0) return
    if (this.#text === 0) this.#start = node
    this.#text += length
    this.#marks += marks
    if (node < this.#linkEnd) this.#link += length
  }

  #flush(): void {
    if (this.#text === 0) return
    const { text, link, prose, matter } = this.#survey
    const start = this.#start
    const plain = this.#text - this.#link
    text[start] = this.#text
    link[start] = this.#link
    if (this.#marks > 0) this.#survey.sentence[start] = 1
    const isSentence = plain >= longLength || (plain >= sentenceLength && this.#marks > 0)
    const isHeading = start < this.#headingEnd && (plain < leadLength || this.#marks === 0)
    if (isSentence && plain > this.#link && !isHeading && start >= this.#codeEnd) prose[start] = plain
    if (prose[start]! > 0) matter[start] = plain
    else if (start < this.#listEnd && plain > this.#link * 3) matter[start] = plain >> 1
    this.#text = 0
    this.#link = 0
    this.#marks = 0
  }

  /** False if the node is not read. */
  #enter(node: NodeId): boolean {
    const document = this.#document
    const survey = this.#survey
    const name = document.name(node)
    if (unreadable.has(name) && !this.#holdsPage(node, name)) {
      survey.unread[node] = unreadCodes.never
      return false
    }
    if (blockElements.has(name)) {
      this.#flush()
      this.#blockEnds.push(document.end(node))
    }
    if (controls.has(name)) {
      survey.control[node] = 1
      if (!this.#isRead(node, name)) {
        survey.unread[node] = unreadCodes.control
        return false
      }
    }
    const tag = document.startTag(node)
    if (tag.length > name.length + 7 && mayBeHidden(tag) && isHidden(document, node)) {
      if (isForScreenReaders(document, node)) {
        survey.unread[node] = unreadCodes.never
        return false
      }
      survey.hidden.push(node)
    }
    this.#note(node, name, tag)
    return true
  }

  /** A button in a paragraph is part of its text. An input is empty, and may be a checkbox of a list. */
  #isRead(node: NodeId, name: string): boolean {
    if (name !== 'button') return name === 'input'
    const document = this.#document
    let block = document.parent(node)
    while (!blockElements.has(document.name(block))) block = document.parent(block)
    return document.name(block) === 'p'
  }

  /** An unclosed noscript contains the rest of the page. */
  #holdsPage(node: NodeId, name: string): boolean {
    return name === 'noscript' && this.#document.end(node) - node > this.#document.size / 2
  }

  #note(node: NodeId, name: string, tag: string): void {
    const survey = this.#survey
    const end = this.#document.end(node)
    if (name === 'a') {
      this.#linkEnd = end
      survey.links[node] = 1
    } else if (name === 'li' || name === 'td' || name === 'dd' || name === 'pre')
      this.#listEnd = Math.max(this.#listEnd, end)
    else if (name === 'body' && survey.body === 0) survey.body = node
    else if (name === 'main') survey.mains.push(node)
    else if (name === 'article') survey.articles.push(node)
    else if (name.length === 2 && name[0] === 'h' && name >= 'h1' && name <= 'h6') {
      this.#headingEnd = end
      survey.headings.push(node)
    }
    if (name === 'pre') this.#codeEnd = end
    this.#noteRole(node, name, tag)
  }

  #noteRole(node: NodeId, name: string, tag: string): void {
    const document = this.#document
    const byTag = roleByTag.get(name)
    const hasNames = tag.length > name.length + 7 && named.has(name)
    const aria = hasNames && tag.includes('role=') ? document.attribute(node, 'role') : null
    if (aria === 'main') this.#survey.mains.push(node)
    const tagged = byTag ?? (aria === null ? undefined : roleByAria.get(aria))
    const { role, isLoose, isBody } = hasNames ? this.#nameOf(node) : unnamed
    if (isBody || (hasNames && tag.includes('itemprop=') && isDeclaredBody(document, node)))
      this.#survey.bodies.push(node)
    // Notes of a manual are often an aside.
    if (tagged === 'sidebar' && role === 'callout') return
    const { regions } = this.#survey
    if (tagged !== undefined) regions.push({ node, role: tagged, isTagged: true, isLoose: false })
    else if (hasNames && role === 'none' && tag.includes('/Person') && isPerson(document, node, name))
      regions.push({ node, role: 'author', isTagged: false, isLoose: false })
    else if (role !== 'none') regions.push({ node, role, isTagged: false, isLoose })
  }

  #nameOf(node: NodeId): Named {
    const classes = this.#document.attribute(node, 'class')
    const byClass = classes ? this.#names.roleOf(classes) : unnamed
    if (byClass.role !== 'none' && !byClass.isLoose) return byClass
    const id = this.#document.attribute(node, 'id')
    const byId = id ? this.#names.roleOf(id) : unnamed
    const isById = byId.role !== 'none' && (!byId.isLoose || byClass.role === 'none')
    return isById ? { ...byId, isBody: byClass.isBody } : byClass
  }
}

const isDeclaredBody = (document: FlatDocument, node: NodeId): boolean =>
  /articlebody/i.test(document.attribute(node, 'itemprop') ?? '')

/** A block about a person in an article describes its author. */
const isPerson = (document: FlatDocument, node: NodeId, name: string): boolean =>
  blockElements.has(name) && /\/Person$/.test(document.attribute(node, 'itemtype')?.trim() ?? '')
