// Used by microdata and RDFa: reads the value of an element, and adds it to an object.
import { cleanText } from '../lib/text/clean-text.ts'
import type { Json } from '../model/record.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { elementText } from './element-text.ts'
import type { JsonObject } from './json-ld.ts'

const addressAttributes: Record<string, string> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  object: 'data',
}
const valueAttributes: Record<string, string> = { data: 'value', meter: 'value', time: 'datetime' }

/** Maximum number of characters of all values together. The values of a large page are not longer than the page. In a small
 *  page, relative URLs become longer. In a huge page, values that repeat a nested text would fill a record of many megabytes. */
export const mostText = ({ source: { length } }: FlatDocument): number =>
  Math.min(Math.max(length, Math.min(3 * length + 10_000, 200_000)), 1_000_000)

/** `content` takes precedence on any element. Pages use it next to visible text, even where the standard does not allow
 *  it. */
export function elementValue(document: FlatDocument, node: NodeId, baseUrl: string): string {
  const content = document.attribute(node, 'content')
  if (content !== null) return cleanText(content)
  const name = document.name(node)
  const address = attributeBy(document, node, addressAttributes[name])
  if (address !== null) return absolute(address, baseUrl)
  return cleanText(attributeBy(document, node, valueAttributes[name]) ?? elementText(document, node))
}

const attributeBy = (document: FlatDocument, node: NodeId, name: string | undefined): string | null =>
  name === undefined ? null : document.attribute(node, name)

/** The absolute URL; the text itself if it is not a URL. */
export function absolute(address: string, baseUrl: string): string {
  return URL.parse(address.trim(), baseUrl)?.href ?? cleanText(address)
}

/** Several values with one name become a list. */
export function addProperty(item: JsonObject, name: string, value: Json): void {
  if (name === '__proto__' || value === '') return
  const known = Object.hasOwn(item, name) ? item[name]! : undefined
  if (known === undefined) item[name] = value
  else if (Array.isArray(known)) known.push(value)
  else item[name] = [known, value]
}

export const wordsOf = (list: string | null): string[] => list?.split(/\s+/).filter(word => word !== '') ?? []

/** Removes the prefix of schema.org. Other vocabularies keep their prefix. */
export const propertyName = (name: string): string =>
  name.replace(/^(?:schema:|https?:\/\/(?:www\.)?schema\.org\/)(?=.)/i, '')

/** Whether the page contains one of the words. The search is case-sensitive, because a lower-case copy of the page would be
 *  expensive. Pass word endings of at most six letters that start with a rare letter, because they are found fastest. */
export const mentions = (source: string, ...words: string[]): boolean =>
  words.some(word => source.includes(word))

/** Returns a check whether a page may have an attribute. The result is cached per page, because several readers need
 *  it. */
function askedOnce(attribute: string, ...words: string[]): (document: FlatDocument) => boolean {
  const answer = (document: FlatDocument) =>
    document.mayHaveAttribute(attribute) && mentions(document.source, ...words)
  return document => document.derive(answer)
}

export const mayHaveMicrodata = askedOnce('itemscope', 'mscope', 'mScope', 'MSCOPE')
export const mayHaveRdfa = askedOnce('typeof', 'ypeof=', 'ypeOf=', 'YPEOF=', 'peof =')
