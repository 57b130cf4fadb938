// The text of a block of code: every space kept, line numbers of highlighters left out.
import { cutControls } from '../../lib/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'

const lineNumbers = /(?:^|[\s_-])(?:gutter|lineno|linenos|line-?numbers?(?:-rows)?)(?:$|[\s_-])/i

export function codeText(document: FlatDocument, code: NodeId): string {
  let text = ''
  for (let node = code + 1; node < document.end(code); node++) {
    if (document.isText(node)) text += document.text(node)
    else if (document.isElement(node)) {
      if (document.name(node) === 'br') text += '\n'
      else if (isLineNumbers(document, node)) node = document.end(node) - 1
    }
  }
  return cutControls(text)
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

export function isLineNumbers(document: FlatDocument, node: NodeId): boolean {
  const classes = document.attribute(node, 'class')
  return classes !== null && lineNumbers.test(classes)
}
