// Parses a page with parse5. Serializes the tree to new markup, and writes records with positions in it.

import { createRequire } from 'node:module'
import type { DefaultTreeAdapterTypes } from 'parse5'
import { Failure } from '../../../model/failures.ts'
import { fullFilter } from '../attribute-filter.ts'
import {
  field,
  flag,
  kind,
  maxDepth,
  type NodeId,
  nameShift,
  none,
  type ParsedRecords,
  recordShift,
} from '../records.ts'
import { firstOwnName, lowerCaseName, tagIds } from '../tags.ts'
import { escapes, flagOf } from './merged-tags.ts'

type SpecNode = DefaultTreeAdapterTypes.ChildNode
type SpecElement = DefaultTreeAdapterTypes.Element

/** An element whose children are being written. */
interface Open {
  node: NodeId
  children: SpecNode[]
  next: number
  lastChild: NodeId
}

const htmlNamespace = 'http://www.w3.org/1999/xhtml'

type Parse5 = typeof import('parse5')
let parse5: Parse5 | null = null

/** Loads parse5 for the first page that needs it. Few pages do, and the package takes 1 MB in every lane. */
function loadParse5(): Parse5 {
  parse5 ??= createRequire(import.meta.url)('parse5') as Parse5
  return parse5
}

/** Throws if the page would have more elements than the limit for its length. */
export function parseBySpec(source: string): ParsedRecords {
  const { parse } = loadParse5()
  const writer = new RecordWriter(source.length)
  const treeAdapter = boundedAdapter(source.length)
  writer.writeTree(parse(source, { scriptingEnabled: false, treeAdapter }).childNodes)
  return writer.finish()
}

/** Limits the number of elements. Unclosed formatting is reopened in each paragraph, so a small page could grow
 *  endlessly. */
function boundedAdapter(sourceLength: number): Parse5['defaultTreeAdapter'] {
  const { defaultTreeAdapter } = loadParse5()
  const limit = 50_000 + (sourceLength >> 2)
  let elements = 0
  return {
    ...defaultTreeAdapter,
    createElement(...element) {
      if (++elements > limit) throw tooManyElements(sourceLength, limit)
      return defaultTreeAdapter.createElement(...element)
    },
  }
}

function tooManyElements(sourceLength: number, limit: number): Failure {
  const message = `A page of ${sourceLength} characters grows into more than ${limit} elements: its tags are not closed`
  return new Failure('extract.too-slow', message, { characters: sourceLength, limit })
}

class RecordWriter {
  private records: Int32Array
  private size = 1
  private markup = ''
  private readonly ownNames = new Map<string, number>()
  private readonly open: Open[] = []

  constructor(sourceLength: number) {
    this.records = new Int32Array((Math.ceil(sourceLength / 16) + 16) << recordShift)
    this.records[field.parent] = none
    this.records[field.previousSibling] = none
  }

  /** Iterates instead of recursing, because the page controls the depth. */
  writeTree(children: SpecNode[]): void {
    this.open.push({ node: 0, children, next: 0, lastChild: none })
    for (let current = this.open.at(-1); current !== undefined; current = this.open.at(-1)) {
      const parent = this.open[Math.min(this.open.length - 1, maxDepth)]!
      const child = current.children[current.next++]
      if (child !== undefined) parent.lastChild = this.write(child, parent)
      else this.close(current)
    }
  }

  /** Sets the end of the element. Beyond the depth limit, the element stays empty, and its content follows it as
   *  siblings. */
  private close(current: Open): void {
    this.open.pop()
    if (this.open.length <= maxDepth) this.records[(current.node << recordShift) + field.end] = this.size
  }

  finish(): ParsedRecords {
    return {
      markup: this.markup,
      records: this.records,
      size: this.size,
      ownNames: [...this.ownNames.keys()],
      gaps: [],
      hrefs: [],
      attributeNames: fullFilter(),
      hasBareNames: false,
    }
  }

  private write(node: SpecNode, parent: Open): NodeId {
    switch (node.nodeName) {
      case '#text':
        return this.writeText((node as DefaultTreeAdapterTypes.TextNode).value, parent)
      case '#comment':
        return this.add(kind.comment, parent, (node as DefaultTreeAdapterTypes.CommentNode).data)
      case '#documentType':
        return this.add(kind.doctype, parent, ` ${(node as DefaultTreeAdapterTypes.DocumentType).name}`)
      default:
        return this.writeElement(node as SpecElement, parent)
    }
  }

  /** After parsing, a carriage return in a text can only come from a character reference. So it is written as a character
   *  reference again. */
  private writeText(value: string, parent: Open): NodeId {
    if (!value.includes('\r')) return this.add(kind.text | flag.raw, parent, value)
    return this.add(kind.text, parent, value.replaceAll('&', '&amp;').replaceAll('\r', '&#13;'))
  }

  private writeElement(element: SpecElement, parent: Open): NodeId {
    const foreign = element.namespaceURI === htmlNamespace ? 0 : flag.foreign
    const head = kind.element | foreign | (this.nameId(lowerCaseName(element.tagName)) << nameShift)
    const node = this.add(head, parent, `<${element.tagName}`)
    for (const attribute of element.attrs) this.writeAttribute(node, attribute)
    this.markup += '>'
    this.records[(node << recordShift) + field.stop] = this.markup.length
    this.open.push({ node, children: childrenOf(element), next: 0, lastChild: none })
    return node
  }

  private writeAttribute(node: NodeId, { prefix, name, value }: SpecElement['attrs'][number]): void {
    const fullName = lowerCaseName(prefix ? `${prefix}:${name}` : name)
    this.markup += ` ${fullName}="`
    if (fullName === 'class') this.records[(node << recordShift) + field.classAt] = this.markup.length
    this.records[node << recordShift]! |= flagOf(fullName)
    if (fullName === 'id') this.records[(node << recordShift) + field.idAt] = this.markup.length
    this.markup += `${value.replace(/[&"\r]/g, character => escapes[character]!)}"`
  }

  private add(head: number, parent: Open, markup: string): NodeId {
    const node = this.size++
    const at = node << recordShift
    if (at === this.records.length) this.grow()
    this.records[at + field.head] = head
    this.records[at + field.parent] = parent.node
    this.records[at + field.end] = node + 1
    this.records[at + field.start] = this.markup.length
    this.records[at + field.stop] = this.markup.length + markup.length
    this.records[at + field.previousSibling] = parent.lastChild
    this.markup += markup
    return node
  }

  private grow(): void {
    const larger = new Int32Array(this.records.length * 2)
    larger.set(this.records)
    this.records = larger
  }

  private nameId(name: string): number {
    const known = tagIds.get(name) ?? this.ownNames.get(name)
    if (known !== undefined) return known
    const id = firstOwnName + this.ownNames.size
    this.ownNames.set(name, id)
    return id
  }
}

/** The content of a template becomes its children, so that selectors and text queries find it. */
function childrenOf(element: SpecElement): SpecNode[] {
  return 'content' in element
    ? (element as DefaultTreeAdapterTypes.Template).content.childNodes
    : element.childNodes
}
