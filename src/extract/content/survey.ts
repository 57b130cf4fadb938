// Measures a page in one pass: text, links and running text of each block.
import { blockTags } from '../block-elements.ts'
import { type FlatDocument, type NodeId, tag } from '../document/index.ts'
import { codeOf } from './drop-rules.ts'
import { controls, named, roleByAria, roleByTag, tagsWithRole, unreadable } from './elements.ts'
import { hidesByClass, isForScreenReaders, isHidden } from './hidden.ts'
import { type Named, Names, type Role, unnamed } from './names.ts'
import { type PageTexts, pageTexts } from './page-texts.ts'
import { surveyMemory } from './survey-memory.ts'

/** A region whose tag or name suggests its purpose. */
export interface Region {
  node: NodeId
  role: Role
  /** True if the tag or the ARIA role names the purpose. Class names and ids are weaker evidence. */
  isTagged: boolean
  /** True if only one word of a longer class name or id suggests the purpose. */
  isLoose: boolean
}

/** Values per node. The values of a block are stored at its first text node. */
export interface Survey {
  document: FlatDocument
  body: NodeId
  /** One of `unreadCodes` for subtrees that readers do not see; otherwise 0. */
  unread: Uint8Array
  text: Int32Array
  link: Int32Array
  /** Length of running text, without its links. */
  prose: Int32Array
  /** Measure of content: the length of running text, plus half the length of text in lists, tables and
   *  code. */
  matter: Int32Array
  /** 1 if a sentence ends in the block. */
  sentence: Uint8Array
  control: Int32Array
  links: Int32Array
  regions: Region[]
  hidden: NodeId[]
  mains: NodeId[]
  articles: NodeId[]
  /** Elements that the page marks as the body of its article. */
  bodies: NodeId[]
  headings: NodeId[]
}

/** Codes of the drop rules for content that readers do not see. */
const unreadCodes = { never: codeOf('unread'), control: codeOf('control') } as const

/** A block is running text if it has this many characters outside links and a sentence ends in it. */
const sentenceLength = 40
/** A block with this many characters outside links is running text even if no sentence ends in it. */
const longLength = 140

/** A heading of at least this length that contains a sentence is a lead, not a heading. */
const leadLength = 90

/** Valid until the next survey, which uses the same memory. */
export function surveyOf(document: FlatDocument): Survey {
  return new Surveyor(document).run()
}

/** Shared by all pages, because pages of a site have the same class names. */
const names = new Names()

class Surveyor {
  readonly #document: FlatDocument
  readonly #survey: Survey
  readonly #names = names
  readonly #texts: PageTexts
  /** Ends of the open block elements, innermost last. */
  readonly #blockEnds: NodeId[] = []
  #linkEnd: NodeId = 0
  #headingEnd: NodeId = 0
  #listEnd: NodeId = 0
  #codeEnd: NodeId = 0
  /** The open block: its first text node and its counts. */
  #start: NodeId = 0
  #text = 0
  #link = 0
  #marks = 0

  constructor(document: FlatDocument) {
    this.#document = document
    this.#texts = pageTexts(document)
    const { size } = document
    surveyMemory.clear()
    this.#survey = {
      document,
      body: 0,
      unread: surveyMemory.bytes(size),
      text: surveyMemory.numbers(size),
      link: surveyMemory.numbers(size),
      prose: surveyMemory.numbers(size),
      matter: surveyMemory.numbers(size),
      sentence: surveyMemory.bytes(size),
      control: surveyMemory.numbers(size),
      links: surveyMemory.numbers(size),
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
    const { size } = document
    const ends = this.#blockEnds
    let blockEnd = noBlock
    for (let node = 1; node < size; node++) {
      while (node >= blockEnd) {
        ends.pop()
        this.#flush()
        blockEnd = ends.length > 0 ? ends[ends.length - 1]! : noBlock
      }
      if (document.isText(node)) this.#read(node)
      else if (document.isElement(node)) {
        if (!this.#enter(node)) node = document.end(node) - 1
        if (ends.length > 0) blockEnd = ends[ends.length - 1]!
      }
    }
    this.#flush()
    return this.#survey
  }

  #read(node: NodeId): void {
    const length = this.#texts.length(node)
    if (length === 0) return
    if (this.#text === 0) this.#start = node
    this.#text += length
    this.#marks += this.#texts.marks(node)
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

  /** Handles the start of a node. Returns false if its content is not read. */
  #enter(node: NodeId): boolean {
    const document = this.#document
    const survey = this.#survey
    const id = document.tag(node)
    if (unreadable[id] === 1 && !this.#holdsPage(node, id)) {
      survey.unread[node] = unreadCodes.never
      return false
    }
    if (blockTags[id] === 1) {
      this.#flush()
      this.#blockEnds.push(document.end(node))
    }
    if (controls[id] === 1) {
      survey.control[node] = 1
      if (!this.#isRead(node, id)) {
        survey.unread[node] = unreadCodes.control
        return false
      }
    }
    const hasAttributes = document.startTagLength(node) > document.name(node).length + 7
    const hasNames = hasAttributes && named[id] === 1
    const classes = hasAttributes ? document.attribute(node, 'class') : null
    const byClass = hasNames && classes ? this.#names.roleOf(classes) : unnamed
    if (hasAttributes && this.#isHidden(node, classes, hasNames ? byClass : null)) {
      if (isForScreenReaders(document, node)) {
        survey.unread[node] = unreadCodes.never
        return false
      }
      survey.hidden.push(node)
    }
    this.#note(node, id)
    this.#noteRole(node, id, hasNames, byClass)
    return true
  }

  #isHidden(node: NodeId, classes: string | null, named: Named | null): boolean {
    if (this.#document.isStyled(node)) return isHidden(this.#document, node)
    return named === null ? classes !== null && hidesByClass(classes) : named.hides
  }

  /** True for controls whose content is read. A button in a paragraph is part of its text. An input has no
   *  content, so nothing needs to be left out. */
  #isRead(node: NodeId, id: number): boolean {
    if (id !== tag.button) return id === tag.input
    const document = this.#document
    let block = document.parent(node)
    while (blockTags[document.tag(block)] === 0) block = document.parent(block)
    return document.tag(block) === tag.p
  }

  /** True for a noscript element that contains most of the page, because its end tag is missing. */
  #holdsPage(node: NodeId, id: number): boolean {
    return id === tag.noscript && this.#document.end(node) - node > this.#document.size / 2
  }

  #note(node: NodeId, id: number): void {
    const survey = this.#survey
    const end = this.#document.end(node)
    if (id === tag.a) {
      this.#linkEnd = end
      survey.links[node] = 1
    } else if (id === tag.li || id === tag.td || id === tag.dd || id === tag.pre)
      this.#listEnd = Math.max(this.#listEnd, end)
    else if (id === tag.body && survey.body === 0) survey.body = node
    else if (id === tag.main) survey.mains.push(node)
    else if (id === tag.article) survey.articles.push(node)
    else if (id >= tag.h1 && id <= tag.h6) {
      this.#headingEnd = end
      survey.headings.push(node)
    }
    if (id === tag.pre) this.#codeEnd = end
  }

  #noteRole(node: NodeId, id: number, hasNames: boolean, byClass: Named): void {
    const document = this.#document
    const byTag = tagsWithRole[id] === 1 ? roleByTag.get(document.name(node)) : undefined
    if (byTag === undefined && !hasNames) return
    const startTag = hasNames && document.isDescribed(node) ? document.startTag(node) : ''
    const aria = startTag.includes('role=') ? document.attribute(node, 'role') : null
    if (aria === 'main') this.#survey.mains.push(node)
    const tagged = byTag ?? (aria === null ? undefined : roleByAria.get(aria))
    const { role, isLoose, isBody } = hasNames ? this.#withId(node, byClass) : unnamed
    if (isBody || (startTag.includes('itemprop=') && isDeclaredBody(document, node)))
      this.#survey.bodies.push(node)
    // Manuals often write callouts as aside elements. Those are not sidebars.
    if (tagged === 'sidebar' && role === 'callout') return
    const { regions } = this.#survey
    if (tagged !== undefined) regions.push({ node, role: tagged, isTagged: true, isLoose: false })
    else if (role === 'none' && startTag.includes('/Person') && isPerson(document, node))
      regions.push({ node, role: 'author', isTagged: false, isLoose: false })
    else if (role !== 'none') regions.push({ node, role, isTagged: false, isLoose })
  }

  #withId(node: NodeId, byClass: Named): Named {
    if (byClass.role !== 'none' && !byClass.isLoose) return byClass
    const id = this.#document.attribute(node, 'id')
    const byId = id ? this.#names.roleOfId(id) : unnamed
    const isById = byId.role !== 'none' && (!byId.isLoose || byClass.role === 'none')
    return isById ? { ...byId, isBody: byClass.isBody } : byClass
  }
}

/** Stands for "no open block". It is larger than every node. */
const noBlock = Number.MAX_SAFE_INTEGER

const isDeclaredBody = (document: FlatDocument, node: NodeId): boolean =>
  /articlebody/i.test(document.attribute(node, 'itemprop') ?? '')

/** In an article, a block about a person describes the author. */
const isPerson = (document: FlatDocument, node: NodeId): boolean =>
  blockTags[document.tag(node)] === 1 && /\/Person$/.test(document.attribute(node, 'itemtype')?.trim() ?? '')
