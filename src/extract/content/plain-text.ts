// A part of a page as plain text: a line for each block, nothing but the words.
import { cleanText } from '../../lib/clean-text.ts'
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeText, isLineNumbers } from './code-text.ts'
import type { Content } from './main-content.ts'

/** Cells of a row stay on one line. */
const inRow = new Set(['td', 'th'])

const isGutter = (document: FlatDocument, node: NodeId, name: string): boolean =>
  (name === 'td' || name === 'pre') && isLineNumbers(document, node)

export function toPlainText(document: FlatDocument, content: Content): string {
  const lines: string[] = []
  const ends: NodeId[] = []
  let line = ''
  const endLine = () => {
    const text = cleanText(line)
    if (text !== '') lines.push(text)
    line = ''
  }
  for (let node = content.root; node < document.end(content.root); node++) {
    while (ends.length > 0 && node >= ends.at(-1)!) {
      ends.pop()
      endLine()
    }
    if (document.isText(node)) {
      if (!content.isDropped(node)) line += document.text(node)
    } else if (document.isElement(node)) {
      const name = document.name(node)
      if (content.isDropped(node) || content.isBeside?.(node) || isGutter(document, node, name))
        node = document.end(node) - 1
      else if (name === 'pre') {
        endLine()
        lines.push(codeText(document, node))
        node = document.end(node) - 1
      } else if (inRow.has(name)) line += ' '
      else if (blockElements.has(name)) {
        endLine()
        ends.push(document.end(node))
      }
    }
  }
  endLine()
  return lines.join('\n')
}
