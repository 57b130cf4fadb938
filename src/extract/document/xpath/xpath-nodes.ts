// The nodes of XPath: nodes of the page, and attributes. Attributes have no records, so they get numbers here.

import { Failure } from '../../../model/failures.ts'
import { languageOf } from '../element-language.ts'
import type { FlatDocument } from '../flat-document.ts'
import { namespaceOf, namespaces } from '../namespaces.ts'
import { field, kind, kindMask, nameShift, none, recordShift } from '../records.ts'
import { linearPattern } from './linear-pattern.ts'
import type { Axis, NodeTest } from './xpath-expression.ts'
import type { NodeRef } from './xpath-functions.ts'

interface Attribute {
  element: NodeRef
  /** Index among the attributes of the element. It is 0 until the expression requests all attributes of the element. */
  index: number
  name: string
  value: string
}

type Visit = (node: NodeRef) => void

/** Step limit of one evaluation. A step takes nanoseconds, so even a hostile expression ends within about a second. */
const defaultXPathSteps = 25_000_000

/** Maximum number of attributes per element that can be sorted. The order of further attributes is undefined. */
const attributesPerElement = 4_096

export class XPathNodes {
  readonly document: FlatDocument
  private readonly source: string
  private readonly records: Int32Array
  private readonly attributes: Attribute[] = []
  private readonly attributeRefs = new Map<NodeRef, Map<string, NodeRef>>()
  private stepsLeft = defaultXPathSteps

  constructor(document: FlatDocument, source: string) {
    this.document = document
    this.source = source
    this.records = document.parsed.records
  }

  attributeOf(node: NodeRef): Attribute | undefined {
    return this.attributes[node - this.document.size]
  }

  /** A number for sorting in document order. An attribute follows right after its element. */
  order(node: NodeRef): number {
    const attribute = this.attributeOf(node)
    if (attribute === undefined) return node * attributesPerElement
    return attribute.element * attributesPerElement + 1 + Math.min(attribute.index, attributesPerElement - 2)
  }

  nameOf(node: NodeRef): string {
    return this.attributeOf(node)?.name ?? this.document.name(node)
  }

  /** HTML elements have a namespace, as in browsers. Attributes have none. */
  namespaceOf(node: NodeRef): string {
    if (node >= this.document.size || !this.document.isElement(node)) return ''
    return namespaces[namespaceOf(this.document, node)]
  }

  /** The first element with each id, in document order. */
  withId(ids: string[]): NodeRef[] {
    const found = new Set<NodeRef>()
    for (const id of ids) {
      const { nodes, start, stop } = this.document.selectorIndex.byId(id)
      this.spend(8 * (1 + stop - start))
      const first = nodes.subarray(start, stop).find(node => this.document.attribute(node, 'id') === id)
      if (first !== undefined) found.add(first)
    }
    return [...found].sort((first, second) => first - second)
  }

  /** For example, `lang('de')` matches `de` and `de-AT`. */
  isInLanguage(node: NodeRef, language: string): boolean {
    const element = this.attributeOf(node)?.element ?? node
    for (let above = element; above > 0; above = this.parent(above)) this.spend(4)
    const wanted = language.toLowerCase()
    const own = languageOf(this.document, element)
    return own !== '' && (own === wanted || own.startsWith(`${wanted}-`))
  }

  classesOf(node: NodeRef): string {
    this.spend(4)
    if (node >= this.document.size || !this.document.isElement(node)) return ''
    return this.document.attribute(node, 'class') ?? ''
  }

  /** The time is proportional to the length of the text, so each character counts as at least one step. */
  finds(text: string, pattern: string, flags: string): boolean {
    this.spend(16 + text.length * (1 + (pattern.length >> 3)))
    return linearPattern(pattern, flags, this.source).test(text)
  }

  textOf(node: NodeRef): string {
    const attribute = this.attributeOf(node)
    if (attribute !== undefined) return attribute.value
    const text = this.document.text(node)
    this.spend(2 * (this.document.end(node) - node) + (text.length >> 2))
    return text
  }

  spend(steps: number): void {
    this.stepsLeft -= steps
    if (this.stepsLeft >= 0) return
    const shown = this.source.slice(0, 200)
    throw new Failure(
      'extract.too-slow',
      `XPath "${shown}" took more than ${defaultXPathSteps} steps on a page of ${this.document.size} nodes: make it narrower`,
      { xpath: shown, nodes: this.document.size },
    )
  }

  /** Whether the node passes the node test, for any axis except `attribute`. Doctypes never pass, because XPath has
   *  none. */
  passes(node: NodeRef, test: NodeTest, nameId: number): boolean {
    if (node >= this.document.size) return test.is === 'node'
    const head = this.records[node << recordShift]!
    switch (test.is) {
      case 'name':
        return head >> nameShift === nameId && (head & kindMask) === kind.element
      case 'element':
        return (head & kindMask) === kind.element
      case 'text':
        return (head & kindMask) === kind.text
      case 'comment':
        return (head & kindMask) === kind.comment
      case 'node':
        return (head & kindMask) !== kind.doctype
      default:
        return false
    }
  }

  /** The nodes along an axis that pass the test, nearest first. */
  along(axis: Axis, node: NodeRef, test: NodeTest): NodeRef[] {
    if (axis === 'attribute') return this.attributesAlong(node, test)
    const nameId = test.is === 'name' ? this.document.nameId(test.name) : none
    const found: NodeRef[] = []
    const visit = (other: NodeRef) => {
      this.spend(1)
      if (this.passes(other, test, nameId)) found.push(other)
    }
    this.walk(axis, node, visit)
    return found
  }

  /** Adds all nodes from `first` to before `end` that pass the test. */
  inRange(first: NodeRef, end: NodeRef, test: NodeTest, found: NodeRef[]): void {
    const nameId = test.is === 'name' ? this.document.nameId(test.name) : none
    this.spend(end - first)
    for (let node = first; node < end; node++) if (this.passes(node, test, nameId)) found.push(node)
  }

  /** Visits the nodes of an axis. An attribute has a parent, but no siblings or children. */
  private walk(axis: Axis, node: NodeRef, visit: Visit): void {
    const attribute = this.attributeOf(node)
    if (axis === 'self' || axis.endsWith('-or-self')) visit(node)
    if (axis === 'parent') this.up(attribute?.element ?? this.parent(node), visit, true)
    else if (axis.startsWith('ancestor')) this.up(attribute?.element ?? this.parent(node), visit, false)
    else if (axis === 'following') this.following(attribute?.element ?? node, visit)
    else if (axis === 'preceding') this.preceding(attribute?.element ?? node, visit)
    else if (attribute === undefined) this.walkNearby(axis, node, visit)
  }

  private walkNearby(axis: Axis, node: NodeRef, visit: Visit): void {
    if (axis.startsWith('descendant')) this.range(node + 1, this.document.end(node), visit)
    else if (axis === 'preceding-sibling') this.siblingsBefore(node, visit)
    else if (axis === 'following-sibling') this.siblingsFrom(this.document.nextSibling(node), visit)
    else if (axis === 'child') this.siblingsFrom(this.document.firstChild(node), visit)
  }

  private siblingsFrom(first: NodeRef, visit: Visit): void {
    for (let next = first; next !== none; next = this.document.nextSibling(next)) visit(next)
  }

  private siblingsBefore(node: NodeRef, visit: Visit): void {
    let previous = this.document.previousSibling(node)
    for (; previous !== none; previous = this.document.previousSibling(previous)) visit(previous)
  }

  private parent(node: NodeRef): NodeRef {
    return this.records[(node << recordShift) + field.parent]!
  }

  private up(from: NodeRef, visit: Visit, onlyOne: boolean): void {
    for (let node = from; node !== none; node = onlyOne ? none : this.parent(node)) visit(node)
  }

  private range(first: NodeRef, end: NodeRef, visit: Visit): void {
    for (let node = first; node < end; node++) visit(node)
  }

  private following(node: NodeRef, visit: Visit): void {
    this.range(this.document.end(node), this.document.size, visit)
  }

  /** Visits all nodes before the node, except its ancestors. */
  private preceding(node: NodeRef, visit: Visit): void {
    let ancestor = this.parent(node)
    for (let other = node - 1; other > 0; other--) {
      if (other === ancestor) ancestor = this.parent(ancestor)
      else visit(other)
    }
  }

  private attributesAlong(node: NodeRef, test: NodeTest): NodeRef[] {
    this.spend(4)
    if (node >= this.document.size || !this.document.isElement(node)) return []
    if (test.is !== 'name') return test.is === 'element' || test.is === 'node' ? this.attributesOf(node) : []
    const value = this.document.attribute(node, test.name)
    return value === null ? [] : [this.refOf(node, test.name, value)]
  }

  private attributesOf(element: NodeRef): NodeRef[] {
    const refs = this.document.attributes(element).map(([name, value]) => this.refOf(element, name, value))
    for (const [index, ref] of refs.entries()) this.attributeOf(ref)!.index = index
    this.spend(8 * refs.length)
    return refs
  }

  /** Returns the same number each time for the same attribute. */
  private refOf(element: NodeRef, name: string, value: string): NodeRef {
    const refs = this.attributeRefs.get(element) ?? new Map<string, NodeRef>()
    const known = refs.get(name)
    if (known !== undefined) return known
    const ref = this.document.size + this.attributes.length
    this.attributes.push({ element, index: 0, name, value })
    this.attributeRefs.set(element, refs.set(name, ref))
    return ref
  }
}
