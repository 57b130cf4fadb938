// Builds the records of a document: open elements, new nodes and scopes. Contains no rules for tags.

import { emptyFilter } from '../attribute-filter.ts'
import { codeUnits } from '../code-units.ts'
import type { NodeId, ParsedRecords } from '../records.ts'
import * as layout from '../records.ts'
import * as tags from '../tags.ts'
import { factsOf, lowerCaseName } from '../tags.ts'
import { inDocumentOrder, sortedPairs } from './document-order.ts'
import { writeMergedTags } from './merged-tags.ts'
import { type OpenTree, Repairs } from './repairs.ts'
import type { TagScan } from './scan.ts'
import { copyOfRecords, growRecords, openWorkspace } from './workspace.ts'

// Local constants are faster here; `scan.ts` explains why.
const { field, flag, kind, kindMask, maxDepth, nameShift, none, recordShift } = layout
const { firstOwnName, is, tag, tagNames } = tags

export class TreeBuilder implements TagScan, OpenTree {
  readonly source: string
  /** The UTF-16 code units of the source, followed by a zero. */
  readonly codes: Uint16Array
  readonly length: number
  records: Int32Array
  size = 0
  readonly ownNames: string[] = []
  private ownNameIds: Map<string, number> | null = null
  readonly gaps: number[] = []
  private readonly hrefs: number[] = []

  /** Why the tree may differ from the HTML standard; null if it does not. */
  doubt: string | null = null

  /** The current mode: an index into the tables of rules. */
  mode = 0
  /** The stack of open elements, from the document (index 0) to the current one (index `depth`). For each, its node and
   *  its name (0 for svg and math). */
  depth = 0
  readonly openNodes: number[]
  readonly openNames: number[]
  private readonly openCounts: number[]
  currentNode: NodeId = 0
  currentName = 0
  /** Last child of the current element. Used by this class and `Repairs`. */
  lastChild: NodeId = none
  /** Null in the first pass, which only handles pages whose nodes need not move. */
  readonly repairs: Repairs | null
  /** Second `<html>` and `<body>` tags: element, start and stop of each. Their attributes are added to the first tags. */
  readonly secondTags: number[] = []

  /** Fields of the current tag. */
  name = 0
  nameStop = 0
  start = 0
  stop = 0
  selfClosing = false
  classAt = 0
  idAt = 0
  hrefAt = 0
  hasRel = false
  isStyled = false
  isDescribed = false
  readonly attributeNames = emptyFilter()
  hasBareNames = false

  /** Name of a start tag whose content is text up to its end tag; 0 otherwise. */
  rawText = 0
  /** True after a start tag that ignores one following newline. */
  skipsNewline = false
  formNode: NodeId = none
  quirks: 'yes' | 'no' | 'unknown' = 'yes'
  /** Comments after `</body>` and `</html>`. They belong after the body, so they are stored until the end of the page. */
  readonly htmlComments: number[] = []
  readonly documentComments: number[] = []

  constructor(source: string, repairs = false) {
    this.source = source
    const { codes, length, hasNul } = codeUnits(source)
    this.codes = codes
    this.length = length
    if (hasNul) this.doubtful('NUL character')
    const { records, openNodes, openNames, openCounts } = openWorkspace()
    this.records = records
    this.openNodes = openNodes
    this.openNames = openNames
    this.openCounts = openCounts
    this.beginDocument()
    this.repairs = repairs ? new Repairs(this) : null
  }

  private beginDocument(): void {
    this.records.fill(0, 0, 1 << recordShift)
    this.records[field.parent] = none
    this.records[field.previousSibling] = none
    this.size = 1
    this.openNodes[0] = 0
    this.openNames[0] = 0
  }

  finish(): ParsedRecords {
    while (this.depth > 0) this.pop()
    const markup = writeMergedTags(this.source, this.records, this.secondTags)
    if (this.repairs !== null) return this.finishMoved(markup)
    this.records[field.end] = this.size
    const { size, ownNames, gaps, hrefs, attributeNames, hasBareNames } = this
    const records = copyOfRecords(this.records, size << recordShift)
    return { markup, records, size, ownNames, gaps, hrefs, attributeNames, hasBareNames }
  }

  private finishMoved(markup: string): ParsedRecords {
    const { size, ownNames } = this
    const ordered = inDocumentOrder(this.records, size)
    if (ordered === null) throw new Error('a node of the page is not in its tree')
    const hrefs = this.hrefs.map((value, index) => (index & 1 ? value : ordered.order[value]!))
    return {
      markup,
      records: ordered.records,
      size,
      ownNames,
      gaps: sortedPairs(this.gaps),
      hrefs: sortedPairs(hrefs),
      attributeNames: this.attributeNames,
      hasBareNames: this.hasBareNames,
    }
  }

  /** Reports that the page needs rules that this parser lacks. The rest of the tree may be wrong. */
  doubtful(reason: string): void {
    this.doubt ??= reason
  }

  // The methods below convert tag names to numbers and back.

  ownName(start: number, stop: number): number {
    const name = lowerCaseName(this.source.slice(start, stop))
    this.ownNameIds ??= new Map()
    const known = this.ownNameIds.get(name)
    if (known !== undefined) return known
    const id = firstOwnName + this.ownNames.length
    this.ownNames.push(name)
    this.ownNameIds.set(name, id)
    return id
  }

  nameText(name: number): string {
    return name < firstOwnName ? tagNames[name]! : this.ownNames[name - firstOwnName]!
  }

  // The methods below add nodes.

  /** Position of the current element's start tag; -1 if the tag is implied. */
  startOfCurrent(): number {
    const at = this.currentNode << recordShift
    const start = this.records[at + 3]!
    return start === this.records[at + 4] ? none : start
  }

  isCurrentForeign(): boolean {
    return this.currentName === 0 && this.depth > 0
  }

  append(head: number, start: number, stop: number, classAt = 0, idAt = 0): NodeId {
    const node = this.size++
    const at = node << recordShift
    if (at === this.records.length) this.records = growRecords(this.records)
    const { records } = this
    records[at] = head
    records[at + 1] = this.currentNode
    records[at + 2] = node + 1
    records[at + 3] = start
    records[at + 4] = stop
    records[at + 5] = classAt
    records[at + 6] = idAt
    records[at + 7] = this.lastChild
    this.lastChild = node
    if (this.repairs !== null) this.repairs.place(node)
    return node
  }

  /** Allocates a record without initializing it. */
  addRecord(): NodeId {
    const node = this.size++
    if (node << recordShift === this.records.length) this.records = growRecords(this.records)
    return node
  }

  /** Adds text. If only ignored markup separates it from the previous text node, extends that node. */
  appendText(start: number, stop: number, flags = 0): void {
    if (start >= stop) return
    const last = this.repairs === null ? this.lastChild : this.repairs.siblingBefore()
    if (last > 0 && this.isText(last)) {
      const at = last << recordShift
      this.gaps.push(this.records[at + 4]!, start)
      this.records[at]! |= flag.gapped
      this.records[at + 4] = stop
    } else this.append(kind.text | flags, start, stop)
  }

  private isText(node: NodeId): boolean {
    return (this.records[node << recordShift]! & kindMask) === kind.text
  }

  /** Adds the element of the current tag without opening it. */
  appendElement(name: number, flags = 0): NodeId {
    const rel = this.hasRel ? 0 : flag.noRel
    const styled = this.isStyled ? flag.styled : 0
    const described = this.isDescribed ? flag.described : 0
    const head = kind.element | flags | rel | styled | described | (name << nameShift)
    const node = this.append(head, this.start, this.stop, this.classAt, this.idAt)
    if (this.hrefAt > 0) this.hrefs.push(node, this.hrefAt)
    return node
  }

  /** Adds the element of the current tag and opens it. */
  openElement(name: number, flags = 0): NodeId {
    const node = this.appendElement(name, flags)
    this.push(node, flags === 0 ? name : 0)
    return node
  }

  /** Adds an implied element. Its range in the markup is empty, so it has no attributes. */
  openImplied(name: number, at: number): NodeId {
    const node = this.append(kind.element | (name << nameShift), at, at)
    this.push(node, name)
    return node
  }

  push(node: NodeId, name: number): void {
    if (this.depth >= maxDepth) {
      this.doubtful(`nested deeper than ${maxDepth} elements`)
      return
    }
    const depth = ++this.depth
    this.openNodes[depth] = node
    this.openNames[depth] = name
    this.currentNode = node
    this.currentName = name
    this.lastChild = none
    if (name < firstOwnName) this.openCounts[name]!++
  }

  // The methods below open, close and find elements on the stack.

  pop(): void {
    const { currentNode, currentName } = this
    if (currentName < firstOwnName) this.openCounts[currentName]!--
    if (this.repairs !== null) {
      this.depth--
      this.repairs.readCurrent()
      return
    }
    this.records[(currentNode << recordShift) + 2] = this.size
    const depth = --this.depth
    this.currentNode = this.openNodes[depth]!
    this.currentName = this.openNames[depth]!
    // The closed element is the last child of the new current one.
    this.lastChild = currentNode
  }

  /** Call when an element leaves the stack other than by `pop`. */
  countClosed(name: number): void {
    if (name < firstOwnName) this.openCounts[name]!--
  }

  /** Closes the open element at `depth` and everything inside it. By the standard, a formatting element that is closed
   *  only because of its parent is reopened later. */
  closeFrom(depth: number): void {
    while (this.depth > depth) {
      if (this.repairs === null) this.doubtOpen(is.formatting)
      this.pop()
    }
    this.pop()
  }

  /** Like `closeFrom`, for elements that reset formatting: cells, captions, objects, templates. Formatting
   *  that was opened inside such an element ends with it, unless another such element is still open. */
  closeMarkerFrom(depth: number): void {
    this.closeSilentlyFrom(depth)
    this.repairs?.clearToMarker()
  }

  /** Like `closeFrom`, for tables and selects. Formatting that is open inside them is never reopened. */
  closeSilentlyFrom(depth: number): void {
    while (this.depth > depth) {
      if (this.repairs === null) this.doubtOpen(is.marker)
      this.pop()
    }
    this.pop()
  }

  private doubtOpen(fact: number): void {
    const name = this.openNames[this.depth]!
    if (factsOf(name) & fact) this.doubtful(`unclosed <${this.nameText(name)}>`)
  }

  closeImpliedEnds(except = 0): void {
    for (;;) {
      const name = this.openNames[this.depth]!
      if (name === except || !(factsOf(name) & is.impliedEnd)) return
      this.pop()
    }
  }

  isOpen(name: number): boolean {
    return name >= firstOwnName || this.openCounts[name]! > 0
  }

  /** Depth of the innermost open element with this name in the given scope; -1 if there is none. */
  depthInScope(name: number, firstBoundary = 0, secondBoundary = 0): number {
    if (!this.isOpen(name)) return none
    for (let depth = this.depth; depth > 0; depth--) {
      const open = this.openNames[depth]!
      if (open === name) return depth
      if (factsOf(open) & is.scope || open === firstBoundary || open === secondBoundary) return none
    }
    return none
  }

  depthInTableScope(name: number): number {
    if (!this.isOpen(name)) return none
    for (let depth = this.depth; depth > 0; depth--) {
      const open = this.openNames[depth]!
      if (open === name) return depth
      if (open === tag.table || open === tag.html || open === tag.template) return none
    }
    return none
  }

  /** Depth of the innermost open element with this name, in any scope; -1 if there is none. */
  depthOf(name: number): number {
    if (!this.isOpen(name)) return none
    for (let depth = this.depth; depth > 0; depth--) {
      if (this.openNames[depth] === name) return depth
    }
    return none
  }
}
