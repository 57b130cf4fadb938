// Queries with compiled selectors: all matches, the first match, or whether one element matches.

import type { FlatDocument } from '../flat-document.ts'
import { type NodeId, none } from '../records.ts'
import type { Selector } from './selector.ts'
import { Matching } from './selector-match.ts'

/** All matching elements below `from`, in document order. */
export function selectAll(document: FlatDocument, selector: Selector, from: NodeId = 0): NodeId[] {
  const matching = new Matching(document, selector.source, from)
  const found: NodeId[] = []
  for (const chain of selector.alternatives) matching.collect(chain, found)
  return selector.alternatives.length > 1 ? inDocumentOrder(found) : found
}

/** The first matching element below `from`; -1 if there is none. */
export function selectFirst(document: FlatDocument, selector: Selector, from: NodeId = 0): NodeId {
  const matching = new Matching(document, selector.source, from)
  let first: NodeId = none
  for (const chain of selector.alternatives) {
    const found = matching.first(chain, first === none ? document.end(from) : first)
    if (found !== none) first = found
  }
  return first
}

/** Whether the element itself matches. */
export function matches(document: FlatDocument, selector: Selector, node: NodeId): boolean {
  const matching = new Matching(document, selector.source, 0)
  return selector.alternatives.some(chain => matching.matchesChain(chain, node, none))
}

function inDocumentOrder(nodes: NodeId[]): NodeId[] {
  nodes.sort((first, second) => first - second)
  return nodes.filter((node, index) => index === 0 || node !== nodes[index - 1])
}
