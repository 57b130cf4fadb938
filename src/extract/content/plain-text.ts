// A part of a page as plain text, one line per block.
import { cleanText } from '../../lib/text/clean-text.ts'
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeText, isLineNumbers } from './code-text.ts'
import { formulaOf, mayHaveFormulas, writtenFormula } from './formulas.ts'
import type { Content } from './main-content.ts'

/** Cells of a row stay on one line. */
const inRow = new Set(['td', 'th'])

/** A number and its unit in adjacent elements: style sheets put the space between them. */
function isNextWord(document: FlatDocument, node: NodeId, line: string): boolean {
  if (!/\d$/.test(line)) return false
  let before = document.previousSibling(node)
  while (before >= 0 && document.kind(before) === 'comment') before = document.previousSibling(before)
  if (before < 0 || !amounts.has(document.name(before))) return false
  return /^\p{L}{2}/u.test(document.text(node))
}

/** Pronunciation (ruby text) is above the word and not in the sentence. */
const readings = new Set(['rt', 'rtc'])

const amounts = new Set('span strong b'.split(' '))

const isGutter = (document: FlatDocument, node: NodeId, name: string): boolean =>
  (name === 'td' || name === 'pre') && isLineNumbers(document, node)

export function toPlainText(document: FlatDocument, content: Content): string {
  const lines: string[] = []
  const ends: NodeId[] = []
  let line = ''
  const hasFormulas = mayHaveFormulas(document)
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
      const formula = hasFormulas ? formulaOf(document, node, name) : null
      // Without an annotation, the text of MathML is more readable than LaTeX.
      if (formula?.isNoted) {
        line += writtenFormula(formula)
        node = document.end(node) - 1
        continue
      }
      if (
        readings.has(name) ||
        content.isDropped(node) ||
        content.isBeside?.(node) ||
        isGutter(document, node, name)
      )
        node = document.end(node) - 1
      else if (name === 'pre') {
        endLine()
        lines.push(codeText(document, node))
        node = document.end(node) - 1
      } else if (inRow.has(name) || (!blockElements.has(name) && isNextWord(document, node, line)))
        line += ' '
      else if (blockElements.has(name)) {
        endLine()
        ends.push(document.end(node))
      }
    }
  }
  endLine()
  return lines.join('\n')
}
