// Reads RDFa Lite: things of a page (`typeof`, `property`) as objects in the form of JSON-LD.
import { localName } from '../model/page/thing.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import {
  absolute,
  addProperty,
  elementValue,
  mayHaveRdfa,
  mostText,
  propertyName,
  wordsOf,
} from './item-values.ts'
import type { JsonObject } from './json-ld.ts'

const maxThings = 10_000
const maxDepth = 50

interface Open {
  thing: JsonObject
  end: NodeId
}

interface Reader {
  document: FlatDocument
  baseUrl: string
  tops: JsonObject[]
  /** The things that are being read, innermost last. */
  open: Open[]
  /** Number of characters that may still be read. Without a limit, nested texts would be read once per level. */
  left: number
}

/** The things that are not a property of another thing, in document order. */
export function readRdfa(document: FlatDocument, baseUrl: string): JsonObject[] {
  if (!mayHaveRdfa(document)) return []
  const reader: Reader = { document, baseUrl, tops: [], open: [], left: mostText(document) }
  const { open, tops } = reader
  for (let node = 1; node < document.size && tops.length < maxThings && reader.left > 0; node++) {
    while (open.length > 0 && node >= open.at(-1)!.end) open.pop()
    if (!document.isElement(node)) continue
    if (document.name(node) === 'template') node = document.end(node) - 1
    else readElement(reader, node)
  }
  return tops.filter(thing => Object.keys(thing).length > 1)
}

function readElement(reader: Reader, node: NodeId): void {
  const { document, open, tops } = reader
  const types = wordsOf(document.attribute(node, 'typeof')).map(localName)
  const names = wordsOf(document.attribute(node, 'property')).map(propertyName)
  const holder = open.at(-1)?.thing
  if (types.length === 0) {
    if (holder !== undefined) addText(reader, holder, names, node)
    return
  }
  if (open.length === maxDepth) return
  const thing = newThing(reader, node, types)
  // Add the thing only under its first name. With several names at each level, nested things would multiply without
  // limit.
  if (holder !== undefined && names.length > 0) addProperty(holder, names[0]!, thing)
  else tops.push(thing)
  open.push({ thing, end: document.end(node) })
}

function newThing({ document, baseUrl }: Reader, node: NodeId, types: string[]): JsonObject {
  const thing: JsonObject = { '@type': types.length === 1 ? types[0]! : types }
  const id = document.attribute(node, 'resource') ?? document.attribute(node, 'about')
  if (id?.trim()) thing['@id'] = absolute(id, baseUrl)
  return thing
}

function addText(reader: Reader, holder: JsonObject, names: string[], node: NodeId): void {
  for (const name of names) {
    if (reader.left <= 0) return
    const text = propertyText(reader, node)
    reader.left -= text.length
    if (reader.left >= 0) addProperty(holder, name, text)
  }
}

function propertyText({ document, baseUrl }: Reader, node: NodeId): string {
  const resource = document.attribute(node, 'content') === null ? document.attribute(node, 'resource') : null
  return resource === null ? elementValue(document, node, baseUrl) : absolute(resource, baseUrl)
}
