// An index of elements by tag, class and id. It creates no string per class.

import { readValue, valueStop } from '../attributes.ts'
import { char, isSpace } from '../characters.ts'
import { field, kind, kindMask, type NodeId, nameShift, type ParsedRecords, recordShift } from '../records.ts'
import { firstOwnName } from '../tags.ts'
import { SiblingPositions } from './sibling-positions.ts'

/** A range of nodes in document order, from `nodes[start]` to before `nodes[stop]`. */
export interface NodeRange {
  nodes: Int32Array
  start: number
  stop: number
}

/** Nodes in groups. Group `g` has the nodes from `nodes[offsets[g]]` to before `nodes[offsets[g + 1]]`. */
interface Groups {
  offsets: Int32Array
  nodes: Int32Array
}

/** The index is built after this many scans of the document. Building it costs about as much as these scans. */
const looksBeforeIndex = 8

export class SelectorIndex {
  private readonly parsed: ParsedRecords
  private nodesLookedAt = 0
  private tags: Groups | null = null
  private classes: Groups | null = null
  private ids: Groups | null = null
  private siblings: SiblingPositions | null = null

  constructor(parsed: ParsedRecords) {
    this.parsed = parsed
  }

  /** True if building the index now costs less than further scans. For the first few queries, scanning all
   *  nodes is cheaper. `nodes` is the number of nodes that the next scan would read. */
  paysFor(nodes: number): boolean {
    this.nodesLookedAt += nodes
    return this.nodesLookedAt > looksBeforeIndex * this.parsed.size
  }

  byTag(nameId: number): NodeRange {
    this.tags ??= groupByTag(this.parsed)
    return rangeOf(this.tags, nameId)
  }

  /** Elements that may have the class. Hash collisions are included, so check each one. */
  byClass(name: string): NodeRange {
    this.classes ??= groupByToken(this.parsed, field.classAt)
    return rangeOf(this.classes, hashOf(name) & (this.classes.offsets.length - 2))
  }

  byId(id: string): NodeRange {
    this.ids ??= groupByToken(this.parsed, field.idAt)
    return rangeOf(this.ids, hashOf(id) & (this.ids.offsets.length - 2))
  }

  get positions(): SiblingPositions {
    this.siblings ??= new SiblingPositions(this.parsed)
    return this.siblings
  }
}

function rangeOf({ offsets, nodes }: Groups, group: number): NodeRange {
  return { nodes, start: offsets[group]!, stop: offsets[group + 1]! }
}

/** The part of a range from node `first` to before node `end`. */
export function clipRange(range: NodeRange, first: NodeId, end: NodeId): NodeRange {
  const { nodes } = range
  return {
    nodes,
    start: lowerBound(nodes, range.start, range.stop, first),
    stop: lowerBound(nodes, range.start, range.stop, end),
  }
}

function lowerBound(nodes: Int32Array, start: number, stop: number, node: NodeId): number {
  let low = start
  let high = stop
  while (low < high) {
    const middle = (low + high) >> 1
    if (nodes[middle]! < node) low = middle + 1
    else high = middle
  }
  return low
}

function groupByTag({ records, size, ownNames }: ParsedRecords): Groups {
  const groups: number[] = []
  const nodes: NodeId[] = []
  for (let node = 1; node < size; node++) {
    const head = records[node << recordShift]!
    if ((head & kindMask) !== kind.element) continue
    groups.push(head >> nameShift)
    nodes.push(node)
  }
  return sortIntoGroups(groups, nodes, firstOwnName + ownNames.length)
}

/** Groups nodes by the hashes of the words in their `class` or `id`. */
function groupByToken({ records, size, markup }: ParsedRecords, place: number): Groups {
  const hashes: number[] = []
  const nodes: NodeId[] = []
  for (let node = 1; node < size; node++) {
    const at = records[(node << recordShift) + place]!
    if (at === 0) continue
    hashTokens(markup, at, hashes)
    while (nodes.length < hashes.length) nodes.push(node)
  }
  const groupCount = groupCountFor(hashes.length)
  for (let index = 0; index < hashes.length; index++) hashes[index]! &= groupCount - 1
  return sortIntoGroups(hashes, nodes, groupCount)
}

function groupCountFor(tokens: number): number {
  let count = 64
  while (count < tokens) count *= 2
  return count
}

function sortIntoGroups(groups: number[], nodes: NodeId[], groupCount: number): Groups {
  const offsets = new Int32Array(groupCount + 1)
  const sorted = new Int32Array(nodes.length)
  for (let index = 0; index < groups.length; index++) offsets[groups[index]! + 1]!++
  for (let group = 0; group < groupCount; group++) offsets[group + 1]! += offsets[group]!
  const next = offsets.slice()
  for (let index = 0; index < groups.length; index++) sorted[next[groups[index]!]!++] = nodes[index]!
  return { offsets, nodes: sorted }
}

function hashTokens(markup: string, from: number, hashes: number[]): void {
  const stop = valueStop(markup, from)
  let hash = 0
  let isInToken = false
  for (let at = from; at < stop; at++) {
    const code = markup.charCodeAt(at)
    if (code === char.ampersand) {
      hashDecodedTokens(readValue(markup, from), hashes)
      return
    }
    if (!isSpace(code)) {
      hash = nextHash(hash, code)
      isInToken = true
    } else if (isInToken) {
      hashes.push(hash)
      hash = 0
      isInToken = false
    }
  }
  if (isInToken) hashes.push(hash)
}

/** Hashes the words of a decoded value. Words before the first `&` may already be in the list. Duplicates in a group
 *  are harmless. */
function hashDecodedTokens(value: string, hashes: number[]): void {
  for (const token of value.split(/[\t\n\f\r ]+/)) {
    if (token !== '') hashes.push(hashOf(token))
  }
}

function nextHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) & 0x3fffffff
}

function hashOf(token: string): number {
  let hash = 0
  for (let index = 0; index < token.length; index++) hash = nextHash(hash, token.charCodeAt(index))
  return hash
}
