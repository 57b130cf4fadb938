// A parsed page, as typed arrays with positions in the markup. Names, attributes and texts are read on demand.

import { mayContain } from './attribute-filter.ts'
import { readAttribute, readAttributes, readValue } from './attributes.ts'
import { codesOf } from './code-units.ts'
import { giveBackRecords } from './parse/workspace.ts'
import {
  field,
  flag,
  kind,
  kindMask,
  kindNames,
  type NodeId,
  type NodeKind,
  nameShift,
  none,
  type ParsedRecords,
  recordShift,
} from './records.ts'
import { SelectorIndex } from './select/selector-index.ts'
import { serialize, serializeChildren } from './serialize.ts'
import { firstOwnName, lowerCaseName, tagIds, tagNames } from './tags.ts'
import { readText, textContent, textOf } from './text-content.ts'

const noRecords = new Int32Array(0)

export class FlatDocument {
  /** The original markup of the page. */
  readonly source: string
  /** `spec` means that parse5 parsed the page, because the flat parser was unsure or the caller requested it. */
  readonly parser: 'flat' | 'spec'
  /** Why the flat parser was unsure. Null if it was sure or was not used. */
  readonly fallbackReason: string | null
  /** Number of nodes, including the document itself. */
  readonly size: number
  /** Only for code in this folder. Other code uses the methods. */
  readonly parsed: ParsedRecords
  private index: SelectorIndex | null = null
  private derived: Map<(document: FlatDocument) => unknown, unknown> | null = null

  constructor(source: string, parser: 'flat' | 'spec', fallbackReason: string | null, parsed: ParsedRecords) {
    this.source = source
    this.parser = parser
    this.fallbackReason = fallbackReason
    this.parsed = parsed
    this.size = parsed.size
  }

  /** Releases the memory for the next document. The document is empty afterwards, so call this only if no other code
   *  uses the document. */
  release(): void {
    if (this.parser === 'flat') giveBackRecords(this.parsed.records)
    this.parsed.records = noRecords
    this.index = null
    this.derived = null
  }

  /** A value that `make` derives from the document. Each function is called once per document. Use this instead of a
   *  `WeakMap`: V8 frees the values of a `WeakMap` late, and a value that refers to its document keeps the document in
   *  memory too. */
  derive<Value>(make: (document: FlatDocument) => Value): Value {
    this.derived ??= new Map()
    const known = this.derived.get(make)
    if (known !== undefined) return known as Value
    const value = make(this)
    this.derived.set(make, value)
    return value
  }

  kind(node: NodeId): NodeKind {
    return kindNames[this.parsed.records[node << recordShift]! & kindMask]!
  }

  isElement(node: NodeId): boolean {
    return (this.parsed.records[node << recordShift]! & kindMask) === kind.element
  }

  isText(node: NodeId): boolean {
    return (this.parsed.records[node << recordShift]! & kindMask) === kind.text
  }

  /** True for elements inside svg or math. */
  isForeign(node: NodeId): boolean {
    return (this.parsed.records[node << recordShift]! & flag.foreign) !== 0
  }

  /** The tag name in lower case, also in svg. Empty for nodes that are no elements. */
  name(node: NodeId): string {
    const id = this.parsed.records[node << recordShift]! >> nameShift
    return id < firstOwnName ? tagNames[id]! : this.parsed.ownNames[id - firstOwnName]!
  }

  /** The number of a tag name in this document; -1 if no element has the name. */
  nameId(name: string): number {
    const known = tagIds.get(name)
    if (known !== undefined) return known
    const own = this.parsed.ownNames.indexOf(name)
    return own === -1 ? none : firstOwnName + own
  }

  parent(node: NodeId): NodeId {
    return this.parsed.records[(node << recordShift) + field.parent]!
  }

  firstChild(node: NodeId): NodeId {
    return this.end(node) > node + 1 ? node + 1 : none
  }

  nextSibling(node: NodeId): NodeId {
    if (node === 0) return none
    const next = this.end(node)
    return next < this.end(this.parent(node)) ? next : none
  }

  previousSibling(node: NodeId): NodeId {
    return this.parsed.records[(node << recordShift) + field.previousSibling]!
  }

  /** The first node after the subtree. The subtree is the range from `node` to before `end(node)`. */
  end(node: NodeId): NodeId {
    return this.parsed.records[(node << recordShift) + field.end]!
  }

  attribute(node: NodeId, name: string): string | null {
    const at = node << recordShift
    const { records, markup, hasBareNames } = this.parsed
    const head = records[at]!
    if ((head & kindMask) !== kind.element) return null
    if (name === 'class' && !hasBareNames) return this.valueAt(records[at + field.classAt]!)
    if (name === 'id' && !hasBareNames) return this.valueAt(records[at + field.idAt]!)
    if (name === 'href') {
      const noted = this.hrefAt(node)
      if (noted !== none) return readValue(markup, noted)
    }
    if ((name === 'rel' && head & flag.noRel) || !this.mayHaveAttribute(name)) return null
    return readAttribute(markup, records[at + field.start]!, records[at + field.stop]!, lowerCaseName(name))
  }

  private valueAt(start: number): string | null {
    return start === 0 ? null : readValue(this.parsed.markup, start)
  }

  /** False if no element has the attribute. True if an element may have it. */
  mayHaveAttribute(name: string): boolean {
    return mayContain(this.parsed.attributeNames, name)
  }

  /** True if the element has the attribute `hidden`, `aria-hidden` or `style`. */
  isStyled(node: NodeId): boolean {
    return (this.parsed.records[node << recordShift]! & flag.styled) !== 0
  }

  /** True if the element has the attribute `role`, `itemprop` or `itemtype`. */
  isDescribed(node: NodeId): boolean {
    return (this.parsed.records[node << recordShift]! & flag.described) !== 0
  }

  /** Length of the start tag in characters. */
  startTagLength(node: NodeId): number {
    const at = node << recordShift
    return this.parsed.records[at + field.stop]! - this.parsed.records[at + field.start]!
  }

  /** The number of the tag name for a `NameSet`. 0 for tag names that are not in HTML and for nodes that are no
   *  elements. */
  tag(node: NodeId): number {
    const id = this.parsed.records[node << recordShift]! >> nameShift
    return id < firstOwnName ? id : 0
  }

  /** Start of the element's `href` value; -1 if the parser did not record it. */
  private hrefAt(node: NodeId): number {
    const { hrefs } = this.parsed
    let low = 0
    let high = hrefs.length >> 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (hrefs[middle << 1]! < node) low = middle + 1
      else high = middle
    }
    return hrefs[low << 1] === node ? hrefs[(low << 1) + 1]! : none
  }

  attributes(node: NodeId): Array<[string, string]> {
    if (!this.isElement(node)) return []
    const at = node << recordShift
    const { records, markup } = this.parsed
    return readAttributes(markup, records[at + field.start]!, records[at + field.stop]!)
  }

  /** The start tag as it is in the markup, for a fast check of all attributes. Empty if the tag is implied. */
  startTag(node: NodeId): string {
    const at = node << recordShift
    return this.parsed.markup.slice(
      this.parsed.records[at + field.start]!,
      this.parsed.records[at + field.stop]!,
    )
  }

  /** The text of the subtree, like the DOM's `textContent`. For a comment, its content. */
  text(node: NodeId): string {
    const at = node << recordShift
    const { records, markup } = this.parsed
    const nodeKind = records[at]! & kindMask
    if (nodeKind === kind.text) return textOf(this.parsed, node)
    if (nodeKind <= kind.element) return textContent(this.parsed, node + 1, records[at + field.end]!)
    return readText(markup.slice(records[at + field.start]!, records[at + field.stop]!), true)
  }

  /** The code units of `markup`, for loops over texts. `textStart` gives the start of a text. Valid until the next page
   *  is parsed. */
  codes(): Uint16Array {
    return codesOf(this.parsed.markup)
  }

  /** The text to which the positions in `codes` refer. */
  get markup(): string {
    return this.parsed.markup
  }

  /** Start of a text node in `codes`; -1 if the text consists of several pieces. Character references and line ends in
   *  `codes` are not decoded. */
  textStart(node: NodeId): number {
    const at = node << recordShift
    const { records } = this.parsed
    return records[at]! & flag.gapped ? none : records[at + field.start]!
  }

  textStop(node: NodeId): number {
    return this.parsed.records[(node << recordShift) + field.stop]!
  }

  /** The content as HTML. Both parsers yield the same text. */
  innerHtml(node: NodeId): string {
    return serializeChildren(this, node)
  }

  /** The element as HTML, without the subtrees for which `isDropped` returns true. */
  outerHtml(node: NodeId, isDropped?: (node: NodeId) => boolean): string {
    return serialize(this, node, isDropped)
  }

  /** Index of elements by id, class and tag. Built on first use. */
  get selectorIndex(): SelectorIndex {
    this.index ??= new SelectorIndex(this.parsed)
    return this.index
  }
}
