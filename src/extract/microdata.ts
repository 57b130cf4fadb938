// Reads microdata: items of a page (`itemscope`) as objects in the form of JSON-LD.
import { localName } from '../model/page/thing.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import {
  absolute,
  addProperty,
  elementValue,
  mayHaveMicrodata,
  mostText,
  propertyName,
  wordsOf,
} from './item-values.ts'
import type { JsonObject } from './json-ld.ts'

const maxItems = 10_000
const maxDepth = 50

interface Reader {
  document: FlatDocument
  baseUrl: string
  /** Number of nodes and characters that may still be read. Without a limit, `itemref` and nested items could make a
   *  small page enormous. */
  left: number
  byId: Map<string, NodeId> | null
}

/** The items that are not inside another item, in document order. */
export function readMicrodata(document: FlatDocument, baseUrl: string): JsonObject[] {
  if (!mayHaveMicrodata(document)) return []
  const reader: Reader = { document, baseUrl, left: mostText(document), byId: null }
  const items: JsonObject[] = []
  for (let node = 1; node < document.size && items.length < maxItems && reader.left > 0; node++) {
    if (!document.isElement(node)) continue
    if (document.name(node) === 'template') node = document.end(node) - 1
    else if (isItem(document, node) && document.attribute(node, 'itemprop') === null)
      items.push(readItem(reader, node, []))
  }
  return items.filter(item => Object.keys(item).length > 0)
}

const isItem = (document: FlatDocument, node: NodeId): boolean =>
  document.attribute(node, 'itemscope') !== null

/** `above` lists the containing items, to prevent cycles. */
function readItem(reader: Reader, node: NodeId, above: NodeId[]): JsonObject {
  const { document } = reader
  const item: JsonObject = {}
  const types = wordsOf(document.attribute(node, 'itemtype')).map(localName)
  if (types.length > 0) item['@type'] = types.length === 1 ? types[0]! : types
  const id = document.attribute(node, 'itemid')?.trim()
  if (id) item['@id'] = absolute(id, reader.baseUrl)
  const within = [...above, node]
  readProperties(reader, item, node + 1, document.end(node), within)
  for (const root of referred(reader, node)) readProperties(reader, item, root, document.end(root), within)
  return item
}

function readProperties(reader: Reader, item: JsonObject, from: NodeId, to: NodeId, within: NodeId[]): void {
  const { document } = reader
  for (let node = from; node < to && reader.left-- > 0; node++) {
    if (!document.isElement(node)) continue
    const names = wordsOf(document.attribute(node, 'itemprop'))
    const isOwnItem = isItem(document, node)
    if (names.length > 0) addValue(reader, item, node, names, isOwnItem ? within : null)
    if (isOwnItem || document.name(node) === 'template') node = document.end(node) - 1
  }
}

function addValue(
  reader: Reader,
  item: JsonObject,
  node: NodeId,
  names: string[],
  within: NodeId[] | null,
): void {
  if (within !== null && (within.includes(node) || within.length === maxDepth)) return
  for (const name of names) {
    if (reader.left <= 0) return
    const value = within === null ? readText(reader, node) : readItem(reader, node, within)
    if (value !== null) addProperty(item, propertyName(name), value)
  }
}

/** Null if the text exceeds the number of characters that may still be read. */
function readText(reader: Reader, node: NodeId): string | null {
  const text = elementValue(reader.document, node, reader.baseUrl)
  reader.left -= text.length
  return reader.left < 0 ? null : text
}

/** Elements that `itemref` names. Those inside the item are left out, because they are already read. */
function referred(reader: Reader, item: NodeId): NodeId[] {
  const ids = wordsOf(reader.document.attribute(item, 'itemref'))
  if (ids.length === 0) return []
  reader.byId ??= elementsById(reader.document)
  const roots = new Set<NodeId>()
  for (const id of ids) {
    const node = reader.byId.get(id)
    if (node !== undefined && !isInside(reader.document, node, item)) roots.add(node)
  }
  return [...roots]
}

const isInside = (document: FlatDocument, node: NodeId, outer: NodeId): boolean =>
  node >= outer && node < document.end(outer)

function elementsById(document: FlatDocument): Map<string, NodeId> {
  const byId = new Map<string, NodeId>()
  for (let node = 1; node < document.size; node++) {
    const id = document.attribute(node, 'id')
    if (id !== null && !byId.has(id)) byId.set(id, node)
  }
  return byId
}
