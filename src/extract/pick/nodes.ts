// Small tree queries that the files of the picker share.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'

/** Elements that contain nothing to pick. */
const unseen = new Set(
  'script style template noscript head link meta base svg iframe object embed br hr wbr'.split(' '),
)

export const isSeen = (document: FlatDocument, node: NodeId): boolean =>
  document.isElement(node) && !unseen.has(document.name(node))

export function childElements(document: FlatDocument, node: NodeId): NodeId[] {
  const children: NodeId[] = []
  for (let child = document.firstChild(node); child !== -1; child = document.nextSibling(child))
    if (document.isElement(child)) children.push(child)
  return children
}

/** The element and its ancestors, up to but not including `body`. */
export function chainUp(document: FlatDocument, node: NodeId): NodeId[] {
  const chain: NodeId[] = []
  for (let at = node; at > 0 && !isRoot(document, at); at = document.parent(at)) chain.push(at)
  return chain
}

const isRoot = (document: FlatDocument, node: NodeId): boolean =>
  ['body', 'html', ''].includes(document.name(node))

export const isWithin = (document: FlatDocument, node: NodeId, ancestor: NodeId): boolean =>
  node >= ancestor && node < document.end(ancestor)

/** The elements between `ancestor` and `node`, including `node`. Empty if both are the same. */
export function chainBelow(document: FlatDocument, ancestor: NodeId, node: NodeId): NodeId[] {
  const chain: NodeId[] = []
  for (let at = node; at !== ancestor && at > 0; at = document.parent(at)) chain.unshift(at)
  return chain
}

export const classesOf = (document: FlatDocument, node: NodeId): string[] =>
  (document.attribute(node, 'class') ?? '').split(/\s+/).filter(Boolean)

export const textAt = (document: FlatDocument, node: NodeId): string => cleanText(elementText(document, node))

/** Text directly in the element, not in its children. */
export function ownText(document: FlatDocument, node: NodeId): string {
  let text = ''
  for (let child = document.firstChild(node); child !== -1; child = document.nextSibling(child))
    if (document.isText(child)) text += ` ${document.text(child)}`
  return cleanText(text)
}

/** Position of the element in its parent, starting at 1. */
export function placeOf(document: FlatDocument, node: NodeId): number {
  return childElements(document, document.parent(node)).indexOf(node) + 1
}

export function commonAncestor(document: FlatDocument, nodes: readonly NodeId[]): NodeId {
  let at = document.parent(nodes[0]!)
  while (at > 0 && !nodes.every(node => isWithin(document, node, at))) at = document.parent(at)
  return at
}

export const countBy = <Value>(values: Iterable<Value>): Map<Value, number> => {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
