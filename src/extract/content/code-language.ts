// The language of a code block, as highlighters note it on the elements around the code.
import type { FlatDocument, NodeId } from '../document/index.ts'

const byClass =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?!source)|brush:\s*|sourceCode\s+|prettyprint\s+lang-)([\w+#.-]{1,30})/i
const notLanguages = new Set(['none', 'plain', 'plaintext', 'text', 'txt', 'nohighlight', 'highlight'])

/** On the pre, the code inside it, or one of two elements around it. */
export function codeLanguage(document: FlatDocument, pre: NodeId): string {
  const inner = document.firstChild(pre)
  const parent = document.parent(pre)
  for (const node of [inner, pre, parent, parent > 0 ? document.parent(parent) : -1]) {
    const language = node > 0 && document.isElement(node) ? noted(document, node) : ''
    if (language !== '') return notLanguages.has(language) ? '' : language
  }
  return ''
}

function noted(document: FlatDocument, node: NodeId): string {
  const direct = document.attribute(node, 'data-lang') ?? document.attribute(node, 'data-language')
  if (direct !== null && /^[\w+#.-]{1,30}$/.test(direct)) return direct.toLowerCase()
  return byClass.exec(document.attribute(node, 'class') ?? '')?.[1]?.toLowerCase() ?? ''
}
