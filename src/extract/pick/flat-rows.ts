// Rows without an element of their own: a heading and the elements after it, `dt` and `dd`, groups of table rows.
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Row } from './leaves.ts'
import { minSimilarity, type Similarity } from './similarity.ts'

const anchors = /^(?:dt|h[1-6]|legend|summary)$/

/** Null if the siblings do not form a repeating sequence of different elements. */
export function flatRows(
  document: FlatDocument,
  similarity: Similarity,
  siblings: readonly NodeId[],
): Row[] | null {
  const kinds = Map.groupBy(
    siblings,
    node => `${document.name(node)} ${[...similarity.classes(node)].sort()}`,
  )
  const groups = [...kinds.values()].filter(group => group.length >= 2)
  const most = Math.max(0, ...groups.map(group => group.length))
  const cycle = groups.filter(group => group.length >= most * 0.5)
  if (cycle.length < 2) return null
  const anchor = cycle.find(([first]) => anchors.test(document.name(first!))) ?? cycle[0]!
  const isVaried = cycle.some(
    group => group !== anchor && similarity.between(group[0]!, anchor[0]!) < minSimilarity,
  )
  return isVaried && isInterleaved(anchor, siblings) ? rowsFrom(document, anchor, siblings) : null
}

/** True if most rows have further elements after their first element (`anchor`). */
function isInterleaved(anchor: readonly NodeId[], siblings: readonly NodeId[]): boolean {
  const isAnchor = new Set(anchor)
  const followed = siblings.filter(
    (node, index) => isAnchor.has(node) && index + 1 < siblings.length && !isAnchor.has(siblings[index + 1]!),
  )
  return followed.length >= anchor.length * 0.7
}

function rowsFrom(document: FlatDocument, anchor: readonly NodeId[], siblings: readonly NodeId[]): Row[] {
  const end = document.end(siblings.at(-1)!)
  return anchor.map((node, index) => ({ node, end: anchor[index + 1] ?? end }))
}
