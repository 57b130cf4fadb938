// Shows a document's records to fontoxpath as the DOM it expects: small objects, made only for nodes it visits.

import type { Attr, Bucket, CharacterData, Element, IDomFacade, Node } from 'fontoxpath'
import { Failure } from '../../model/failures.ts'
import type { FlatDocument } from './flat-document.ts'
import { type NodeId, none } from './records.ts'

const nodeTypes = { element: 1, attribute: 2, text: 3, comment: 8, document: 9, doctype: 10 } as const

/** A node as fontoxpath sees it. HTML's elements have no namespace here, so that `//div` finds them. */
export interface XPathNode {
  nodeType: number
  nodeName: string
  localName: string
  namespaceURI: null
  prefix: null
  id: NodeId
  /** Of attributes alone. */
  value?: string
}

export class RecordFacade implements IDomFacade {
  private readonly document: FlatDocument
  private readonly expression: string
  private readonly nodes = new Map<NodeId, XPathNode>()
  private readonly attributes = new Map<NodeId, XPathNode[]>()
  private stepsLeft: number

  constructor(document: FlatDocument, expression: string, steps: number) {
    this.document = document
    this.expression = expression
    this.stepsLeft = steps
  }

  nodeOf(id: NodeId): XPathNode {
    const known = this.nodes.get(id)
    if (known !== undefined) return known
    const name = this.document.name(id)
    const nodeType = nodeTypes[this.document.kind(id)]
    const node: XPathNode = {
      nodeType,
      nodeName: name,
      localName: name,
      namespaceURI: null,
      prefix: null,
      id,
    }
    this.nodes.set(id, node)
    return node
  }

  getAllAttributes(node: Element): Attr[] {
    this.spend(1)
    const id = idOf(node)
    const known = this.attributes.get(id)
    if (known !== undefined) return known as unknown as Attr[]
    const attributes = this.document.attributes(id).map(([name, value]): XPathNode => {
      return { nodeType: 2, nodeName: name, localName: name, namespaceURI: null, prefix: null, id, value }
    })
    this.attributes.set(id, attributes)
    return attributes as unknown as Attr[]
  }

  getAttribute(node: Element, name: string): string | null {
    this.spend(1)
    return this.document.attribute(idOf(node), name)
  }

  getChildNodes(node: Node, bucket?: Bucket | null): Node[] {
    const children: XPathNode[] = []
    const parent = idOf(node)
    for (let id = this.document.firstChild(parent); id !== none; id = this.document.nextSibling(id)) {
      this.spend(1)
      if (this.isIn(id, bucket)) children.push(this.nodeOf(id))
    }
    this.spend(1)
    return children as unknown as Node[]
  }

  getData(node: Attr | CharacterData): string {
    const { id, value } = node as unknown as XPathNode
    if (value !== undefined) return value
    const text = this.document.text(id)
    this.spend(1 + (text.length >> 6))
    return text
  }

  getFirstChild(node: Node, bucket?: Bucket | null): Node | null {
    return this.nextFrom(this.document.firstChild(idOf(node)), bucket)
  }

  getLastChild(node: Node, bucket?: Bucket | null): Node | null {
    return (this.getChildNodes(node, bucket).at(-1) as Node | undefined) ?? null
  }

  getNextSibling(node: Node, bucket?: Bucket | null): Node | null {
    return this.nextFrom(this.document.nextSibling(idOf(node)), bucket)
  }

  getPreviousSibling(node: Node, bucket?: Bucket | null): Node | null {
    let id = this.document.previousSibling(idOf(node))
    while (id !== none && !this.isIn(id, bucket)) id = this.step(this.document.previousSibling(id))
    return this.visible(id)
  }

  getParentNode(node: Node): Node | null {
    const { id, nodeType } = node as unknown as XPathNode
    return this.visible(nodeType === nodeTypes.attribute ? id : this.document.parent(id))
  }

  private nextFrom(first: NodeId, bucket?: Bucket | null): Node | null {
    let id = first
    while (id !== none && !this.isIn(id, bucket)) id = this.step(this.document.nextSibling(id))
    return this.visible(id)
  }

  private visible(id: NodeId): Node | null {
    this.spend(1)
    return id === none ? null : (this.nodeOf(id) as unknown as Node)
  }

  private step(id: NodeId): NodeId {
    this.spend(1)
    return id
  }

  /** fontoxpath says what it looks for, so that other nodes need not be made. XPath knows no doctype. */
  private isIn(id: NodeId, bucket?: Bucket | null): boolean {
    const kind = this.document.kind(id)
    if (kind === 'doctype') return false
    if (!bucket) return true
    if (bucket.startsWith('name-')) return kind === 'element' && this.document.name(id) === bucket.slice(5)
    if (bucket === 'name' || bucket === 'type-1' || bucket === 'type-1-or-type-2') return kind === 'element'
    return bucket === `type-${nodeTypes[kind]}`
  }

  private spend(steps: number): void {
    this.stepsLeft -= steps
    if (this.stepsLeft >= 0) return
    throw new Failure(
      'extract.too-slow',
      `XPath "${this.expression.slice(0, 200)}" took too many steps on a page of ${this.document.size} nodes: make it narrower`,
      { xpath: this.expression.slice(0, 200), nodes: this.document.size },
    )
  }
}

function idOf(node: Node): NodeId {
  return (node as unknown as XPathNode).id
}
