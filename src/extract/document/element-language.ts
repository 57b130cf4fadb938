// The language of an element, and whether it matches `:lang(de)`. XPath's `lang('de')` uses the language too.

import type { FlatDocument } from './flat-document.ts'
import { type NodeId, none } from './records.ts'

/** The language of the nearest element with `lang`, or of `<meta http-equiv="content-language">`. Empty if neither
 *  exists. */
export function languageOf(document: FlatDocument, node: NodeId): string {
  for (let element = node; element > 0; element = document.parent(element)) {
    if (!document.isElement(element)) continue
    const own = document.attribute(element, 'xml:lang') ?? document.attribute(element, 'lang')
    if (own !== null) return own.trim().toLowerCase()
  }
  return declaredLanguage(document)
}

/** The language in the meta element. A list of languages is ignored, because it describes the readers and not the text. */
function declaredLanguage(document: FlatDocument): string {
  const meta = document.nameId('meta')
  if (meta === none) return ''
  const { nodes, start, stop } = document.selectorIndex.byTag(meta)
  for (const node of nodes.subarray(start, stop)) {
    if (document.attribute(node, 'http-equiv')?.trim().toLowerCase() !== 'content-language') continue
    const content = (document.attribute(node, 'content') ?? '').trim().toLowerCase()
    if (!/[,\s]/.test(content)) return content
  }
  return ''
}

/** Extended filtering of RFC 4647: `de` matches `de-AT`, `*-CH` matches `de-CH` and `fr-Latn-CH`. Both in lower case. */
export function isInLanguage(language: string, range: string): boolean {
  if (language === '') return range === ''
  const tags = language.split('-')
  const [first, ...rest] = range.split('-')
  if (first !== '*' && first !== tags[0]) return false
  let at = 1
  for (const wanted of rest) {
    if (wanted === '*') continue
    while (at < tags.length && tags[at] !== wanted && tags[at]!.length > 1) at++
    if (tags[at] !== wanted) return false
    at++
  }
  return true
}
