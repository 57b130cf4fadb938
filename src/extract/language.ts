// The declared language of a page.
import type { FlatDocument, NodeId } from './document/index.ts'

const languageTag = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}$/

/** The `lang` attribute of the html element, as a tag with hyphens. Null if it is missing or invalid. */
export function readLanguage(document: FlatDocument): string | null {
  const html = rootElement(document)
  if (html < 0) return null
  const written = (document.attribute(html, 'lang') ?? document.attribute(html, 'xml:lang') ?? '').trim()
  return languageTag.test(written) ? written.replaceAll('_', '-') : null
}

function rootElement(document: FlatDocument): NodeId {
  let node = document.firstChild(0)
  while (node >= 0 && !document.isElement(node)) node = document.nextSibling(node)
  return node
}
