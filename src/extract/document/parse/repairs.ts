// Rebuilds the tree as the HTML standard requires if tags are not closed in order: formatting across blocks, nested
// links, content between table rows. Such nodes move, so this second pass links nodes instead of relying on page order.
// `document-order.ts` restores the order at the end. Well-formed pages never use this file. Of 928 real pages, 5 % need
// the second pass, which takes a fifteenth of parse5's time.

import { readAttributes } from '../attributes.ts'
import { field, type NodeId, nameShift, none, recordShift } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'

/** A marker in the list of formatting elements. Formatting before the marker does not continue in the cell, caption or
 *  object after it. */
const marker = none
const arkCapacity = 3
const outerLimit = 8
const innerLimit = 3

/** The parts of the tree builder that repairs read and change. */
export interface OpenTree {
  readonly source: string
  readonly length: number
  readonly records: Int32Array
  readonly doubt: string | null
  depth: number
  readonly openNodes: number[]
  readonly openNames: number[]
  currentNode: NodeId
  currentName: number
  lastChild: NodeId
  append(head: number, start: number, stop: number, classAt: number, idAt: number): NodeId
  addRecord(): NodeId
  push(node: NodeId, name: number): void
  pop(): void
  countClosed(name: number): void
  depthOf(name: number): number
  doubtful(reason: string): void
}

export class Repairs {
  private readonly builder: OpenTree
  /** The standard's list of active formatting elements. It contains nodes and markers. */
  private readonly formatting: number[] = []
  /** The sorted attributes of each element, by the position of its start tag. */
  private readonly attributeSets = new Map<number, string>()
  /** True if content of a table must be placed before the table. */
  isFostering = false
  /** Number of copies and moves that are left. Without a limit, a small hostile page could require endlessly many. */
  private credit: number

  constructor(builder: OpenTree) {
    this.builder = builder
    this.credit = 50_000 + (builder.length >> 2)
    builder.records[field.end] = none
  }

  private spend(nodes: number): void {
    this.credit -= nodes
    if (this.credit < 0) this.builder.doubtful('formatting that multiplies the page')
  }

  // The methods below link nodes. During parsing, the field `end` contains the last child of a node.

  /** Sets the links of the node that was just appended. */
  place(node: NodeId): void {
    const { builder } = this
    const { records } = builder
    const at = node << recordShift
    records[at + field.end] = none
    const table = this.fosterTable()
    if (table === none) {
      records[(builder.currentNode << recordShift) + field.end] = node
      return
    }
    this.putBefore(table, node)
    builder.lastChild = this.lastChildOf(builder.currentNode)
  }

  /** The node after which the next node is placed; -1 if there is none. */
  siblingBefore(): NodeId {
    const table = this.fosterTable()
    if (table === none) return this.builder.lastChild
    return this.builder.records[(table << recordShift) + field.previousSibling]!
  }

  /** The table before which the next node is placed; -1 if the node goes into the current element. */
  private fosterTable(): NodeId {
    const { builder } = this
    return this.isFostering && isTableStructure(builder.currentName) ? this.openTable() : none
  }

  /** True if the current element must not contain text. */
  isInTableStructure(): boolean {
    return isTableStructure(this.builder.currentName)
  }

  private openTable(): NodeId {
    const { builder } = this
    const depth = builder.depthOf(tag.table)
    if (depth === none || builder.depthOf(tag.template) > depth) {
      builder.doubtful('part of a table in a template')
      return none
    }
    return builder.openNodes[depth]!
  }

  private putBefore(table: NodeId, node: NodeId): void {
    const { records } = this.builder
    const at = node << recordShift
    const tableAt = table << recordShift
    records[at + field.parent] = records[tableAt + field.parent]!
    records[at + field.previousSibling] = records[tableAt + field.previousSibling]!
    records[tableAt + field.previousSibling] = node
  }

  private lastChildOf(node: NodeId): NodeId {
    return this.builder.records[(node << recordShift) + field.end]!
  }

  private appendTo(parent: NodeId, node: NodeId): void {
    const { records } = this.builder
    const at = node << recordShift
    records[at + field.parent] = parent
    records[at + field.previousSibling] = this.lastChildOf(parent)
    records[(parent << recordShift) + field.end] = node
  }

  /** Removes a node that is the last child of its parent. */
  private detach(node: NodeId): void {
    const { builder } = this
    const { records } = builder
    const at = node << recordShift
    const parentAt = records[at + field.parent]! << recordShift
    if (records[parentAt + field.end] !== node) builder.doubtful('an open element with content behind it')
    records[parentAt + field.end] = records[at + field.previousSibling]!
  }

  private moveChildren(from: NodeId, to: NodeId): void {
    const { records } = this.builder
    const last = this.lastChildOf(from)
    for (let child = last; child !== none; ) {
      const at = child << recordShift
      records[at + field.parent] = to
      child = records[at + field.previousSibling]!
      this.spend(1)
    }
    records[(to << recordShift) + field.end] = last
    records[(from << recordShift) + field.end] = none
  }

  /** Creates a detached element with the name and attributes of another one. */
  private copyOf(node: NodeId): NodeId {
    const { builder } = this
    const copy = builder.addRecord()
    const { records } = builder
    const at = node << recordShift
    records.copyWithin(copy << recordShift, at, at + (1 << recordShift))
    records[(copy << recordShift) + field.end] = none
    this.spend(1)
    return copy
  }

  // The methods below change the stack of open elements.

  /** Removes one element from the stack. Elements inside it stay open. */
  removeOpen(depth: number): void {
    const { builder } = this
    builder.countClosed(builder.openNames[depth]!)
    for (let above = depth; above < builder.depth; above++) {
      builder.openNodes[above] = builder.openNodes[above + 1]!
      builder.openNames[above] = builder.openNames[above + 1]!
    }
    builder.depth--
    this.readCurrent()
  }

  /** Updates the builder's fields for the current element. */
  readCurrent(): void {
    const { builder } = this
    builder.currentNode = builder.openNodes[builder.depth]!
    builder.currentName = builder.openNames[builder.depth]!
    builder.lastChild = this.lastChildOf(builder.currentNode)
  }

  private depthOfNode(node: NodeId): number {
    const { openNodes, depth } = this.builder
    for (let at = depth; at > 0; at--) {
      if (openNodes[at] === node) return at
    }
    return none
  }

  private isInScope(nodeDepth: number): boolean {
    const { openNames, depth } = this.builder
    for (let at = depth; at > nodeDepth; at--) {
      if (factsOf(openNames[at]!) & is.scope) return false
    }
    return true
  }

  removeNode(node: NodeId): void {
    const depth = this.depthOfNode(node)
    if (depth !== none) this.removeOpen(depth)
  }

  // The methods below manage the list of formatting elements.

  addMarker(): void {
    this.formatting.push(marker)
  }

  clearToMarker(): void {
    while (this.formatting.length > 0 && this.formatting.pop() !== marker);
  }

  /** Adds an element to the formatting elements. If four of them then have the same name and attributes, the
   *  first of the four is removed. */
  addFormatting(node: NodeId): void {
    const { formatting } = this
    const same: number[] = []
    for (let index = formatting.length - 1; index >= 0 && formatting[index] !== marker; index--) {
      if (this.nameOf(formatting[index]!) === this.nameOf(node)) same.push(index)
    }
    formatting.push(node)
    if (same.length < arkCapacity) return
    const key = this.attributesOf(node)
    const alike = same.filter(index => this.attributesOf(formatting[index]!) === key)
    this.spend(same.length)
    if (alike.length >= arkCapacity) formatting.splice(alike[arkCapacity - 1]!, 1)
  }

  private nameOf(node: NodeId): number {
    return this.builder.records[node << recordShift]! >> nameShift
  }

  /** The attributes of an element as text, for comparison. Cached by start tag, because copies of an element
   *  have the same start tag. */
  private attributesOf(node: NodeId): string {
    const { records, source } = this.builder
    const start = records[(node << recordShift) + field.start]!
    const known = this.attributeSets.get(start)
    if (known !== undefined) return known
    const attributes = readAttributes(source, start, records[(node << recordShift) + field.stop]!)
    const set = JSON.stringify(attributes.sort(([left], [right]) => (left < right ? -1 : 1)))
    this.attributeSets.set(start, set)
    return set
  }

  /** Index of the newest formatting element with this name after the last marker. -1 if there is none. */
  private entryNamed(name: number): number {
    const { formatting } = this
    for (let index = formatting.length - 1; index >= 0 && formatting[index] !== marker; index--) {
      if (this.nameOf(formatting[index]!) === name) return index
    }
    return none
  }

  /** Index of a node's entry in the list of formatting elements, after the last marker. -1 if there is
   *  none. */
  private entryOf(node: NodeId): number {
    const { formatting } = this
    let index = formatting.length - 1
    while (index >= 0 && formatting[index] !== node && formatting[index] !== marker) index--
    return index >= 0 && formatting[index] === node ? index : none
  }

  private removeFormatting(node: NodeId): void {
    const index = this.entryOf(node)
    if (index !== none) this.formatting.splice(index, 1)
  }

  /** Reopens the formatting elements that were closed only because a block around them was closed. */
  reconstruct(): void {
    const { formatting, builder } = this
    let index = formatting.length - 1
    while (index >= 0 && formatting[index] !== marker && this.depthOfNode(formatting[index]!) === none)
      index--
    while (++index < formatting.length && builder.doubt === null) {
      const original = formatting[index]! << recordShift
      const { records } = builder
      const head = records[original]!
      const [start, stop] = [records[original + field.start]!, records[original + field.stop]!]
      const [classAt, idAt] = [records[original + field.classAt]!, records[original + field.idAt]!]
      const node = builder.append(head, start, stop, classAt, idAt)
      builder.push(node, head >> nameShift)
      formatting[index] = node
      this.spend(1)
    }
  }

  /** Ends the outer link if a link starts inside it. */
  endOpenLink(): void {
    const entry = this.entryNamed(tag.a)
    if (entry === none) return
    const node = this.formatting[entry]!
    this.adopt(tag.a)
    this.removeNode(node)
    this.removeFormatting(node)
  }

  /** The adoption agency algorithm of the HTML standard. False if the tag must be closed like any other one. */
  adopt(name: number): boolean {
    const { builder } = this
    if (builder.currentName === name && this.entryOf(builder.currentNode) === none) {
      builder.pop()
      return true
    }
    for (let round = 0; round < outerLimit; round++) {
      const entry = this.entryNamed(name)
      if (entry === none) return round > 0
      if (!this.adoptOnce(this.formatting[entry]!)) return true
    }
    return true
  }

  /** One round of the adoption agency algorithm. False if nothing is left to do. */
  private adoptOnce(formatted: NodeId): boolean {
    const { builder } = this
    const depth = this.depthOfNode(formatted)
    if (depth === none) {
      this.removeFormatting(formatted)
      return false
    }
    if (!this.isInScope(depth)) return false
    const blockDepth = this.blockAbove(depth)
    if (blockDepth === none) {
      while (builder.depth >= depth) builder.pop()
      this.removeFormatting(formatted)
      return false
    }
    this.moveOut(formatted, builder.openNodes[blockDepth]!)
    return true
  }

  private blockAbove(depth: number): number {
    const { builder } = this
    for (let above = depth + 1; above <= builder.depth; above++) {
      if (factsOf(builder.openNames[above]!) & is.special) return above
    }
    return none
  }

  /** Moves the block out of the formatting element, and wraps the block's content in a copy of that element. */
  private moveOut(formatted: NodeId, block: NodeId): void {
    const { builder } = this
    const { top, bookmark } = this.copyBetween(formatted, block)
    const depth = this.depthOfNode(formatted)
    this.detachIfPlaced(top, block)
    if (isTableStructure(builder.openNames[depth - 1]!)) {
      const table = this.openTable()
      if (table !== none) this.putBefore(table, top)
    } else this.appendTo(builder.openNodes[depth - 1]!, top)
    const copy = this.copyOf(formatted)
    this.moveChildren(block, copy)
    this.appendTo(block, copy)
    this.formatting.splice(this.entryOf(bookmark) + 1, 0, copy)
    this.removeFormatting(formatted)
    this.replaceOpen(depth, this.depthOfNode(block), copy)
    this.readCurrent()
  }

  /** Detaches `top` if it is the block. Otherwise `top` is a copy, which is already detached. */
  private detachIfPlaced(top: NodeId, block: NodeId): void {
    if (top === block) this.detach(block)
  }

  /** Copies the formatting elements between the two nodes. The copies are nested, with the block in the innermost one. */
  private copyBetween(formatted: NodeId, block: NodeId): { top: NodeId; bookmark: NodeId } {
    const { builder, formatting } = this
    let top = block
    let bookmark = formatted
    let depth = this.depthOfNode(block) - 1
    for (let step = 0; builder.openNodes[depth] !== formatted; step++, depth--) {
      const node = builder.openNodes[depth]!
      const entry = this.entryOf(node)
      if (entry === none || step >= innerLimit) {
        if (entry !== none) formatting.splice(entry, 1)
        this.removeOpen(depth)
        continue
      }
      const copy = this.copyOf(node)
      builder.openNodes[depth] = copy
      formatting[entry] = copy
      if (top === block) bookmark = copy
      this.detachIfPlaced(top, block)
      this.appendTo(copy, top)
      top = copy
    }
    return { top, bookmark }
  }

  /** Removes the element at depth `from` from the stack, and inserts its copy right after the block. */
  private replaceOpen(from: number, blockDepth: number, copy: NodeId): void {
    const { openNodes, openNames } = this.builder
    const name = openNames[from]!
    for (let depth = from; depth < blockDepth; depth++) {
      openNodes[depth] = openNodes[depth + 1]!
      openNames[depth] = openNames[depth + 1]!
    }
    openNodes[blockDepth] = copy
    openNames[blockDepth] = name
  }

  /** Reopens the closed head, to add the element of one tag to it. */
  reopenHead(): NodeId {
    const { builder } = this
    const head = this.lastChildNamed(builder.currentNode, tag.head)
    builder.push(head, tag.head)
    this.readCurrent()
    return head
  }

  private lastChildNamed(parent: NodeId, name: number): NodeId {
    const { records } = this.builder
    let child = this.lastChildOf(parent)
    while (child !== none && this.nameOf(child) !== name) {
      child = records[(child << recordShift) + field.previousSibling]!
    }
    return child
  }
}

function isTableStructure(name: number): boolean {
  return (
    name === tag.table || name === tag.tbody || name === tag.tr || name === tag.thead || name === tag.tfoot
  )
}
