// Converts MathML to LaTeX, for formulas without an annotation. Converts structure and symbols, but no layout.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'

/** Deeper elements are left out, because hostile pages could exhaust the stack. */
const maxDepth = 60

export function mathMlToTex(document: FlatDocument, math: NodeId): string {
  return row(document, math, 0).trim()
}

function row(document: FlatDocument, node: NodeId, depth: number): string {
  return parts(document, node)
    .map(part => texOf(document, part, depth + 1))
    .filter(tex => tex !== '')
    .join(' ')
}

function parts(document: FlatDocument, node: NodeId): NodeId[] {
  const found: NodeId[] = []
  for (let child = document.firstChild(node); child >= 0; child = document.nextSibling(child))
    if (document.isElement(child)) found.push(child)
  return found
}

/** Adds braces. A single letter or digit needs none. */
const group = (tex: string): string => (/^[\p{L}\p{N}]$/u.test(tex) ? tex : `{${tex}}`)

function texOf(document: FlatDocument, node: NodeId, depth: number): string {
  if (depth > maxDepth) return ''
  const name = document.name(node)
  if (name === 'mi' || name === 'mn' || name === 'mo' || name === 'ms') return cleanText(document.text(node))
  if (name === 'mtext') return `\\text{${cleanText(document.text(node))}}`
  if (name === 'annotation' || name === 'annotation-xml' || name === 'mspace') return ''
  const [first = '', second = '', third = ''] = parts(document, node).map(part =>
    texOf(document, part, depth + 1),
  )
  switch (name) {
    case 'mfrac':
      return `\\frac{${first}}{${second}}`
    case 'msqrt':
      return `\\sqrt{${row(document, node, depth)}}`
    case 'mroot':
      return `\\sqrt[${second}]{${first}}`
    case 'msup':
    case 'mover':
      return `${first}^${group(second)}`
    case 'msub':
    case 'munder':
      return `${first}_${group(second)}`
    case 'msubsup':
    case 'munderover':
      return `${first}_${group(second)}^${group(third)}`
    case 'mtr':
      return parts(document, node)
        .map(cell => row(document, cell, depth))
        .join(' & ')
    case 'mtable':
      return parts(document, node)
        .map(line => texOf(document, line, depth + 1))
        .join(' \\\\ ')
    default:
      return row(document, node, depth)
  }
}
