// Finds the elements that a rule selects, and their text.
import type { FieldType } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import { evaluateXPath, type FlatDocument, type NodeId, selectAll, selectFirst } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import { findJsonLd, jsonLdText } from '../json-ld-path.ts'
import type { PageFacts } from '../page-facts.ts'
import type { CompiledField, Lookup } from './compiled-rules.ts'

/** Maximum number of nodes in all matches of one lookup together. Nested matches would multiply them. */
const maxNodes = 5_000_000
/** Maximum number of characters in all matches of one lookup together. */
const maxCharacters = 20_000_000

/** The matching elements, for scopes of nested fields and rows of `each`. */
export function findNodes(document: FlatDocument, lookup: Lookup, scope: NodeId): NodeId[] {
  if (lookup.by === 'css') return bounded(document, selectAll(document, lookup.selector, scope))
  if (lookup.by !== 'xpath') return [scope]
  return bounded(document, evaluateXPath(document, lookup.xpath, scope).filter(isNode))
}

function bounded(document: FlatDocument, nodes: NodeId[]): NodeId[] {
  let held = 0
  for (const node of nodes) held += document.end(node) - node
  if (held <= maxNodes) return nodes
  throw new Failure(
    'extract.too-slow',
    `${nodes.length} nested matches contain ${held} nodes; make the selector narrower`,
    { matches: nodes.length },
  )
}

const isNode = (found: NodeId | string): found is NodeId => typeof found === 'number'

/** The text of the first match, without creating a list. This is the most frequent case. */
export function firstText(facts: PageFacts, field: CompiledField, scope: NodeId): string | null {
  if (field.lookup.by !== 'css') return allTexts(facts, field, scope)[0] ?? null
  const node = selectFirst(facts.document, field.lookup.selector, scope)
  return node < 0 ? null : textOf(facts.document, field, node)
}

export function allTexts(facts: PageFacts, field: CompiledField, scope: NodeId): string[] {
  const { document } = facts
  const { lookup } = field
  switch (lookup.by) {
    case 'meta':
      return facts.meta.get(lookup.name) ?? []
    case 'source':
      return [document.outerHtml(scope)]
    case 'jsonld':
      return findJsonLd(facts.jsonLd, lookup.path)
        .map(({ value }) => jsonLdText(value))
        .filter(text => text !== null)
    case 'xpath':
      return textsOf(document, field, evaluateXPath(document, lookup.xpath, scope))
    default:
      return textsOf(document, field, findNodes(document, lookup, scope))
  }
}

/** The texts of all matches. Nested matches repeat their inner text, so a small page could expand to gigabytes without
 *  a limit. */
function textsOf(document: FlatDocument, field: CompiledField, found: Array<NodeId | string>): string[] {
  const texts: string[] = []
  let left = maxCharacters
  for (const each of found) {
    const text = typeof each === 'string' ? each : textOf(document, field, each)
    if (text === null) continue
    left -= text.length
    if (left < 0) throw tooMuchText(found.length)
    texts.push(text)
  }
  return texts
}

const tooMuchText = (matches: number): Failure =>
  new Failure(
    'extract.too-slow',
    `${matches} matches contain more than ${maxCharacters} characters together; make the selector narrower`,
    { matches },
  )

function textOf(document: FlatDocument, field: CompiledField, node: NodeId): string | null {
  if (field.attribute !== null) return attributeText(document, node, field.attribute, field.as)
  if (field.as === 'html') return document.isElement(node) ? document.innerHtml(node) : document.text(node)
  if (!field.wantsText && document.isElement(node)) {
    const attribute = tellingAttribute(document.name(node), field.as)
    const value =
      attribute === null ? contactAddress(document, node, field.as) : document.attribute(node, attribute)
    if (value !== null) return value
  }
  return elementText(document, node)
}

/** An empty attribute such as `<input checked>` means true for a boolean. */
function attributeText(document: FlatDocument, node: NodeId, name: string, as: FieldType): string | null {
  const value = document.attribute(node, name)
  return value === '' && as === 'boolean' ? 'true' : value
}

/** The address in the href of a mailto or tel link, whatever its text. */
function contactAddress(document: FlatDocument, node: NodeId, as: FieldType): string | null {
  const scheme = as === 'email' ? 'mailto:' : as === 'phone' ? 'tel:' : null
  const href = scheme === null ? null : (document.attribute(node, 'href')?.trim() ?? null)
  return href?.toLowerCase().startsWith(scheme!) ? href : null
}

/** The attribute that contains the value, for elements whose text does not. */
function tellingAttribute(element: string, as: FieldType): string | null {
  if (as === 'url') return addressAttributes[element] ?? null
  if (as === 'date' && (element === 'time' || element === 'del' || element === 'ins')) return 'datetime'
  if (element === 'meta') return 'content'
  return element === 'input' ? 'value' : null
}

const addressAttributes: Record<string, string> = {
  a: 'href',
  area: 'href',
  link: 'href',
  base: 'href',
  img: 'src',
  script: 'src',
  iframe: 'src',
  source: 'src',
  video: 'src',
  audio: 'src',
  embed: 'src',
  track: 'src',
  form: 'action',
  object: 'data',
  meta: 'content',
}
