// Matches compiled selectors against records, from right to left, with a step limit.

import { Failure } from '../../../model/failures.ts'
import { findAttribute, isPlain, readAttribute, readValue, valueStop } from '../attributes.ts'
import { isInLanguage, languageOf } from '../element-language.ts'
import type { FlatDocument } from '../flat-document.ts'
import { namespaceOf } from '../namespaces.ts'
import { field, kind, kindMask, type NodeId, nameShift, none, recordShift } from '../records.ts'
import { compares, hasToken } from './attribute-values.ts'
import { isDisabled } from './field-state.ts'
import { type Chain, type Compound, combinator, type Test } from './selector.ts'
import { clipRange, type NodeRange } from './selector-index.ts'
import { isNth } from './selector-values.ts'

/** Step limit of one evaluation. A step takes nanoseconds, so even a hostile selector ends within about a second. */
const defaultStepBudget = 40_000_000

/** The result of matching a chain at an element. If it fails, `failsHere` means that an earlier sibling could
 *  still match, `failsForSiblings` that only an ancestor could, and `failsForAncestors` that nothing can. */
const outcome = { matches: 0, failsHere: 1, failsForSiblings: 2, failsForAncestors: 3 } as const

/** One evaluation of a selector on a document. */
export class Matching {
  private readonly document: FlatDocument
  private readonly source: string
  private readonly from: NodeId
  private readonly records: Int32Array
  private readonly markup: string
  private stepsLeft = defaultStepBudget
  /** For `:nth-child(… of …)`: the position of each matching element among its matching siblings. Counted once per
   *  parent. */
  private readonly placesOf = new Map<Test, Map<NodeId, number>>()

  constructor(document: FlatDocument, source: string, from: NodeId) {
    this.document = document
    this.source = source
    this.from = from
    this.records = document.parsed.records
    this.markup = document.parsed.markup
  }

  collect(chain: Chain, found: NodeId[]): void {
    this.visit(chain, this.from + 1, this.document.end(this.from), none, node => {
      found.push(node)
      return false
    })
  }

  first(chain: Chain, end: NodeId): NodeId {
    let first: NodeId = none
    this.visit(chain, this.from + 1, end, none, node => {
      first = node
      return true
    })
    return first
  }

  /** Calls `onMatch` for each match from `first` to before `end`, in document order, until `onMatch` returns true.
   *  Returns whether that happened. */
  private visit(
    chain: Chain,
    first: NodeId,
    end: NodeId,
    anchor: NodeId,
    onMatch: (node: NodeId) => boolean,
  ): boolean {
    const range = this.candidates(chain.compounds[0]!, first, end)
    return range === null
      ? this.visitAll(chain, first, end, anchor, onMatch)
      : this.visitRange(chain, range, anchor, onMatch)
  }

  private visitAll(
    chain: Chain,
    first: NodeId,
    end: NodeId,
    anchor: NodeId,
    onMatch: (node: NodeId) => boolean,
  ): boolean {
    const { nameId, classes } = chain.compounds[0]!
    const records = this.records
    this.spend((end - first) >> 2)
    for (let node = first; node < end; node++) {
      const at = node << recordShift
      const head = records[at]!
      if ((head & kindMask) !== kind.element || (nameId !== 0 && head >> nameShift !== nameId)) continue
      if (classes.length > 0 && records[at + field.classAt] === 0) continue
      if (this.matchesChain(chain, node, anchor) && onMatch(node)) return true
    }
    return false
  }

  private visitRange(
    chain: Chain,
    range: NodeRange,
    anchor: NodeId,
    onMatch: (node: NodeId) => boolean,
  ): boolean {
    let last: NodeId = none
    for (let index = range.start; index < range.stop; index++) {
      const node = range.nodes[index]!
      if (node !== last && this.matchesChain(chain, node, anchor) && onMatch(node)) return true
      last = node
    }
    return false
  }

  /** Candidates for the rightmost compound: the elements with its id, its first class or its tag. Null means all elements. */
  private candidates(compound: Compound, first: NodeId, end: NodeId): NodeRange | null {
    const index = this.document.selectorIndex
    if (!index.paysFor(end - first)) return null
    if (compound.id !== null) return clipRange(index.byId(compound.id), first, end)
    if (compound.classes.length > 0) return clipRange(index.byClass(compound.classes[0]!), first, end)
    if (compound.nameId !== 0) return clipRange(index.byTag(compound.nameId), first, end)
    if (compound.ownName === null) return null
    const own = this.document.nameId(compound.ownName)
    return own === none ? { nodes: noNodes, start: 0, stop: 0 } : clipRange(index.byTag(own), first, end)
  }

  matchesChain(chain: Chain, node: NodeId, anchor: NodeId): boolean {
    if (!this.matchesCompound(chain.compounds[0]!, node, anchor)) return false
    return chain.compounds.length === 1 || this.matchesRest(chain, 1, node, anchor) === outcome.matches
  }

  /** Matches compound `index` and all compounds to its left, starting from `node`. */
  private matchesRest(chain: Chain, index: number, node: NodeId, anchor: NodeId): number {
    if (index === chain.compounds.length) return outcome.matches
    switch (chain.combinators[index - 1]) {
      case combinator.descendant:
        return this.matchesAncestor(chain, index, node, anchor)
      case combinator.child:
        return this.matchesParent(chain, index, node, anchor)
      case combinator.adjacent:
        return this.matchesAdjacent(chain, index, node, anchor)
      default:
        return this.matchesSibling(chain, index, node, anchor)
    }
  }

  private matchesAncestor(chain: Chain, index: number, node: NodeId, anchor: NodeId): number {
    const compound = chain.compounds[index]!
    for (let ancestor = this.parent(node); ancestor > 0; ancestor = this.parent(ancestor)) {
      if (!this.matchesCompound(compound, ancestor, anchor)) continue
      const result = this.matchesRest(chain, index + 1, ancestor, anchor)
      if (result === outcome.matches || result === outcome.failsForAncestors) return result
    }
    return outcome.failsForAncestors
  }

  private matchesParent(chain: Chain, index: number, node: NodeId, anchor: NodeId): number {
    const parent = this.parent(node)
    if (parent <= 0) return outcome.failsForAncestors
    if (!this.matchesCompound(chain.compounds[index]!, parent, anchor)) return outcome.failsForSiblings
    const result = this.matchesRest(chain, index + 1, parent, anchor)
    return result === outcome.failsHere ? outcome.failsForSiblings : result
  }

  private matchesAdjacent(chain: Chain, index: number, node: NodeId, anchor: NodeId): number {
    const previous = this.previousElement(node)
    if (previous === none) return outcome.failsForSiblings
    if (!this.matchesCompound(chain.compounds[index]!, previous, anchor)) return outcome.failsHere
    return this.matchesRest(chain, index + 1, previous, anchor)
  }

  private matchesSibling(chain: Chain, index: number, node: NodeId, anchor: NodeId): number {
    const compound = chain.compounds[index]!
    for (let other = this.previousElement(node); other !== none; other = this.previousElement(other)) {
      if (!this.matchesCompound(compound, other, anchor)) continue
      const result = this.matchesRest(chain, index + 1, other, anchor)
      if (result !== outcome.failsHere) return result
    }
    return outcome.failsForSiblings
  }

  private matchesCompound(compound: Compound, node: NodeId, anchor: NodeId): boolean {
    this.spend(1)
    if (compound.isAnchor) return node === anchor
    const at = node << recordShift
    const name = this.records[at]! >> nameShift
    if (compound.nameId !== 0 && compound.nameId !== name) return false
    if (compound.ownName !== null && this.document.name(node) !== compound.ownName) return false
    if (compound.id !== null && !this.hasId(this.records[at + field.idAt]!, compound.id)) return false
    for (let index = 0; index < compound.classes.length; index++) {
      if (!this.hasClass(this.records[at + field.classAt]!, compound.classes[index]!)) return false
    }
    for (let index = 0; index < compound.tests.length; index++) {
      if (!this.passes(compound.tests[index]!, node)) return false
    }
    return true
  }

  private hasId(at: number, id: string): boolean {
    if (at === 0) return false
    const stop = valueStop(this.markup, at)
    this.spend(1 + ((stop - at) >> 3))
    if (stop - at === id.length && this.markup.startsWith(id, at)) return true
    return !isPlain(this.markup, at, stop) && readValue(this.markup, at) === id
  }

  private hasClass(at: number, name: string): boolean {
    if (at === 0) return false
    const stop = valueStop(this.markup, at)
    this.spend(1 + ((stop - at) >> 3))
    if (isPlain(this.markup, at, stop)) return hasToken(this.markup, at, stop, name)
    const value = readValue(this.markup, at)
    return hasToken(value, 0, value.length, name)
  }

  private passes(test: Test, node: NodeId): boolean {
    switch (test.is) {
      case 'attribute':
        return this.hasAttribute(test, node)
      case 'matching':
        return test.alternatives.some(chain => this.matchesChain(chain, node, none)) !== test.negated
      case 'containing':
        return test.relatives.some(chain => this.contains(chain, node))
      case 'nth':
        return isNth(this.position(node, test.ofType, test.fromEnd), test)
      case 'nth-of':
        return isNth(this.placeAmong(test, node), test)
      case 'namespace':
        for (let around = node; around > 0; around = this.parent(around)) this.spend(1)
        return namespaceOf(this.document, node) === test.namespace
      case 'language':
        return this.isInLanguage(test.ranges, node)
      case 'link':
        return linkElements.has(this.document.name(node)) && this.attributeAt(node, 'href') !== none
      case 'only':
        return this.position(node, test.ofType, false) === 1 && this.position(node, test.ofType, true) === 1
      case 'text':
        return this.hasText(test, node)
      case 'empty':
        return this.isEmpty(node)
      case 'root':
        return this.parent(node) === 0
      case 'scope':
        return this.from === 0 ? this.parent(node) === 0 : node === this.from
      default:
        return this.isInState(test.is, node)
    }
  }

  private attribute(node: NodeId, name: string): string | null {
    const at = node << recordShift
    const start = this.records[at + field.start]!
    const stop = this.records[at + field.stop]!
    this.spend(2 + ((stop - start) >> 2))
    return readAttribute(this.markup, start, stop, name)
  }

  private attributeAt(node: NodeId, name: string): number {
    const at = node << recordShift
    const start = this.records[at + field.start]!
    const stop = this.records[at + field.stop]!
    this.spend(1 + ((stop - start) >> 3))
    return findAttribute(this.markup, start, stop, name)
  }

  private hasAttribute(test: Extract<Test, { is: 'attribute' }>, node: NodeId): boolean {
    if (test.operator === 'exists') return this.attributeAt(node, test.name) !== none
    const value = this.attribute(node, test.name)
    if (value === null) return test.operator === 'not'
    return compares(test.operator, test.ignoreCase ? value.toLowerCase() : value, test.value)
  }

  /** Whether a `:has(…)` chain matches below the element. If the chain begins with a sibling combinator, the search
   *  starts after the element instead. */
  private contains(chain: Chain, node: NodeId): boolean {
    const leading = chain.combinators.at(-1)!
    const isBelow = leading === combinator.descendant || leading === combinator.child
    const first = isBelow ? node + 1 : this.document.end(node)
    const end = isBelow ? this.document.end(node) : this.document.end(this.parent(node))
    return this.visit(chain, first, end, node, () => true)
  }

  private position(node: NodeId, ofType: boolean, fromEnd: boolean): number {
    const positions = this.document.selectorIndex.positions
    if (ofType) return (fromEnd ? positions.ofTypeFromEnd : positions.ofTypeFromStart)[node]!
    return (fromEnd ? positions.fromEnd : positions.fromStart)[node]!
  }

  /** Position of the element among its matching siblings; NaN if the element itself does not match. */
  private placeAmong(test: Extract<Test, { is: 'nth-of' }>, node: NodeId): number {
    const places = this.placesOf.get(test) ?? new Map<NodeId, number>()
    this.placesOf.set(test, places)
    if (!places.has(node)) this.countPlaces(test, this.parent(node), places)
    return places.get(node)!
  }

  private countPlaces(
    test: Extract<Test, { is: 'nth-of' }>,
    parent: NodeId,
    places: Map<NodeId, number>,
  ): void {
    const siblings: NodeId[] = []
    for (let child = parent + 1; child < this.document.end(parent); child = this.document.end(child))
      if (this.isElement(child)) siblings.push(child)
    if (test.fromEnd) siblings.reverse()
    let place = 0
    for (const sibling of siblings) {
      const isMatch = test.alternatives.some(chain => this.matchesChain(chain, sibling, none))
      places.set(sibling, isMatch ? ++place : Number.NaN)
    }
  }

  private isInLanguage(ranges: string[], node: NodeId): boolean {
    for (let element = node; element > 0; element = this.parent(element)) this.spend(4)
    const language = languageOf(this.document, node)
    return ranges.some(range => isInLanguage(language, range))
  }

  private hasText(test: Extract<Test, { is: 'text' }>, node: NodeId): boolean {
    const text = this.document.text(node)
    this.spend(2 * (this.document.end(node) - node) + (text.length >> 3))
    return (test.ignoreCase ? text.toLowerCase() : text).includes(test.text)
  }

  /** Comments do not count as content. */
  private isEmpty(node: NodeId): boolean {
    const end = this.document.end(node)
    for (let inner = node + 1; inner < end; inner++) {
      if (this.document.kind(inner) !== 'comment') return false
    }
    return true
  }

  private isInState(state: 'checked' | 'disabled' | 'enabled', node: NodeId): boolean {
    const name = this.document.name(node)
    if (state === 'checked')
      return this.attributeAt(node, name === 'option' ? 'selected' : 'checked') !== none
    for (let around = node; around > 0; around = this.parent(around)) this.spend(2)
    return isDisabled(this.document, node) === (state === 'disabled')
  }

  // The methods below read the records.

  private isElement(node: NodeId): boolean {
    this.spend(1)
    return (this.records[node << recordShift]! & kindMask) === kind.element
  }

  private parent(node: NodeId): NodeId {
    return this.records[(node << recordShift) + field.parent]!
  }

  private previousElement(node: NodeId): NodeId {
    let previous = this.records[(node << recordShift) + field.previousSibling]!
    while (previous !== none && !this.isElement(previous)) {
      previous = this.records[(previous << recordShift) + field.previousSibling]!
    }
    return previous
  }

  private spend(steps: number): void {
    this.stepsLeft -= steps
    if (this.stepsLeft >= 0) return
    const shown = this.source.slice(0, 200)
    throw new Failure(
      'extract.too-slow',
      `Selector "${shown}" took more than ${defaultStepBudget} steps on a page of ${this.document.size} nodes: make it narrower`,
      { selector: shown, nodes: this.document.size },
    )
  }
}

const linkElements = new Set(['a', 'area'])
const noNodes = new Int32Array(0)
