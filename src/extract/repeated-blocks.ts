// Finds blocks that repeat side by side: the rows, cards or entries that a page lists.
import type { FlatDocument, NodeId } from './document/index.ts'
import { elementText } from './element-text.ts'

const fewest = 3
const skipped = new Set(
  'nav header footer aside select form script style template noscript head menu'.split(' '),
)

/** The siblings with the same tag and first class that have the most text together. Empty if nothing repeats. */
export function repeatedBlocks(document: FlatDocument): NodeId[] {
  let best: NodeId[] = []
  let most = 0
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    if (skipped.has(document.name(node))) {
      node = document.end(node) - 1
      continue
    }
    for (const blocks of groupsBelow(document, node)) {
      const text = blocks.reduce((sum, block) => sum + elementText(document, block).length, 0)
      if (text > most) [best, most] = [blocks, text]
    }
  }
  return best
}

/** Groups children by tag and first class. Only children with several elements or a link inside count, because plain
 *  paragraphs repeat too. */
function groupsBelow(document: FlatDocument, parent: NodeId): NodeId[][] {
  const children: NodeId[] = []
  for (let child = document.firstChild(parent); child !== -1; child = document.nextSibling(child))
    if (document.isElement(child) && hasParts(document, child)) children.push(child)
  if (children.length < fewest) return []
  const groups = Map.groupBy(children, child => {
    const [name = ''] = (document.attribute(child, 'class') ?? '').trim().split(/\s+/)
    return `${document.name(child)}.${name}`
  })
  return [...groups.values()].filter(group => group.length >= fewest)
}

function hasParts(document: FlatDocument, node: NodeId): boolean {
  if (skipped.has(document.name(node))) return false
  let only: NodeId = -1
  for (let inner = node + 1; inner < document.end(node); inner++) {
    if (!document.isElement(inner)) continue
    if (only !== -1) return true
    only = inner
  }
  return only !== -1 && document.name(only) === 'a'
}
