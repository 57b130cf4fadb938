// Finds the label of a value: the `dt` before a `dd`, a column heading, or the text before the value.
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Row } from './leaves.ts'
import { childElements, ownText, placeOf, textAt } from './nodes.ts'

const longest = 40

/** The label of a node; null if there is none. Considers only labels inside the row. For column headings use
 *  `headingOf`. */
export function labelOf(document: FlatDocument, row: Row, node: NodeId): string | null {
  const before = previousElement(document, node)
  if (before === null || before < row.node) return null
  const text = textAt(document, before)
  if (text === '' || text.length > longest || childElements(document, before).length > 1) return null
  const tag = document.name(before)
  if (document.name(node) === 'dd' && tag === 'dt') return before === row.node ? null : plain(text)
  if (document.name(node) === 'td' && tag === 'th')
    return childElements(document, document.parent(node)).length === 2 ? plain(text) : null
  const isLabel = tag === 'label' || /:\s*$/.test(text) || isCalledLabel(document, before)
  return isLabel ? plain(text) : null
}

/** The element that contains the label; -1 if there is none. */
export function labelNode(document: FlatDocument, row: Row, node: NodeId): NodeId {
  return labelOf(document, row, node) === null ? -1 : previousElement(document, node)!
}

const isCalledLabel = (document: FlatDocument, node: NodeId): boolean =>
  /(?:^|[-_\s])(?:label|key|term|caption|attr-?name|field-?name|prop-?name)(?:$|[-_\s])/i.test(
    document.attribute(node, 'class') ?? '',
  )

const plain = (text: string): string => text.replace(/\s*[:：]\s*$/, '')

function previousElement(document: FlatDocument, node: NodeId): NodeId | null {
  let at = document.previousSibling(node)
  while (at !== -1 && !document.isElement(at)) at = document.previousSibling(at)
  return at === -1 ? null : at
}

/** The heading of the table column that contains the node. */
export function headingOf(document: FlatDocument, row: Row, node: NodeId): string | null {
  let cell = node
  while (cell > row.node && document.parent(cell) !== row.node) cell = document.parent(cell)
  if (!['td', 'th'].includes(document.name(cell))) return null
  let table = row.node
  while (table > 0 && document.name(table) !== 'table') table = document.parent(table)
  if (table <= 0) return null
  for (let at = table; at < row.node; at++) {
    if (!document.isElement(at) || document.name(at) !== 'tr') continue
    const cells = childElements(document, at)
    const heading = cells[placeOf(document, cell) - 1]
    if (!heading || document.name(heading) !== 'th') continue
    const text = textAt(document, heading) || ownText(document, heading)
    return text !== '' && text.length <= longest ? text : null
  }
  return null
}
