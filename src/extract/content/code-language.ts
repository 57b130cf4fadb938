// Finds the programming language of a code block. Highlighters write it on the elements around the code.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { labelledLanguage } from './code-text.ts'

const byClass =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?!source)|brush:\s*|sourceCode\s+|prettyprint\s+lang-)([\w+#.-]{1,30})/i
const notLanguages = new Set(['none', 'plain', 'plaintext', 'text', 'txt', 'nohighlight', 'highlight'])

/** Looks at the code element, the pre, two elements around it, and the label above it. Empty if none names a language. */
export function codeLanguage(document: FlatDocument, pre: NodeId): string {
  const inner = codeIn(document, pre)
  const parent = document.parent(pre)
  for (const node of [inner, pre, parent, parent > 0 ? document.parent(parent) : -1]) {
    const language = node > 0 && document.isElement(node) ? noted(document, node) : ''
    if (language !== '') return notLanguages.has(language) ? '' : language
  }
  const labelled = labelledLanguage(document, pre)
  return notLanguages.has(labelled) ? '' : labelled
}

/** The code element in a pre. Buttons and labels may precede it. */
function codeIn(document: FlatDocument, pre: NodeId): NodeId {
  for (let node = document.firstChild(pre); node > 0; node = document.nextSibling(node))
    if (document.isElement(node) && document.name(node) === 'code') return node
  return document.firstChild(pre)
}

function noted(document: FlatDocument, node: NodeId): string {
  const direct = document.attribute(node, 'data-lang') ?? document.attribute(node, 'data-language')
  if (direct !== null && /^[\w+#.-]{1,30}$/.test(direct)) return direct.toLowerCase()
  return byClass.exec(document.attribute(node, 'class') ?? '')?.[1]?.toLowerCase() ?? ''
}
