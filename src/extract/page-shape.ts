// The shape of a page in a few figures: how much of its text runs, links, or is code.
import { unreadElements } from './block-elements.ts'
import type { FlatDocument, NodeId } from './document/index.ts'

/** Lengths in characters, white space at the ends of texts not counted. */
export interface PageShape {
  textLength: number
  linkLength: number
  /** Text of paragraphs that are long enough to be sentences, outside of links. */
  proseLength: number
  codeLength: number
}

/** A text this long in one piece is a sentence, not a label. */
const sentenceLength = 60

export function pageShape(document: FlatDocument): PageShape {
  const shape: PageShape = { textLength: 0, linkLength: 0, proseLength: 0, codeLength: 0 }
  let linkEnd: NodeId = 0
  let codeEnd: NodeId = 0
  for (let node = 1; node < document.size; node++) {
    if (document.isText(node)) {
      const { length } = document.text(node).trim()
      shape.textLength += length
      if (node < codeEnd) shape.codeLength += length
      else if (node < linkEnd) shape.linkLength += length
      else if (length >= sentenceLength) shape.proseLength += length
    } else if (document.isElement(node)) {
      const name = document.name(node)
      if (unreadElements.has(name)) node = document.end(node) - 1
      else if (name === 'a') linkEnd = document.end(node)
      else if (name === 'pre') codeEnd = document.end(node)
    }
  }
  return shape
}
