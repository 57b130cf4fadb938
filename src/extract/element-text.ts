// The text of an element for readers: without scripts, with spaces between blocks.
import { blockElements, unreadElements } from './block-elements.ts'
import type { FlatDocument, NodeId } from './document/index.ts'

export function elementText(document: FlatDocument, node: NodeId): string {
  const end = document.end(node)
  if (end === node + 2 && document.isText(node + 1)) return document.text(node + 1)
  return document.isElement(node) ? joinedText(document, node, end) : document.text(node)
}

/** Adds a space at the start and end of each block. The caller collapses spaces. */
function joinedText(document: FlatDocument, from: NodeId, end: NodeId): string {
  let text = ''
  // Ends of the open blocks, innermost last.
  const blockEnds: NodeId[] = []
  for (let node = from + 1; node < end; node++) {
    while (blockEnds.length > 0 && node >= blockEnds.at(-1)!) {
      blockEnds.pop()
      text += ' '
    }
    if (document.isText(node)) text += document.text(node)
    else if (document.isElement(node)) {
      const name = document.name(node)
      if (unreadElements.has(name)) node = document.end(node) - 1
      else if (name === 'sup') text += gapBeforeRaised(text, document.text(node))
      else if (blockElements.has(name)) {
        text += ' '
        blockEnds.push(document.end(node))
      }
    }
  }
  return text
}

/** A space if raised digits follow a digit. "36<sup>99</sup> €" means 36.99, and "2019<sup>3</sup>" is a year with a
 *  footnote. Without the space, both would become other numbers. */
export const gapBeforeRaised = (before: string, raised: string): string =>
  /\d$/.test(before) && /^\s*\d/.test(raised) ? ' ' : ''
