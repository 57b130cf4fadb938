// RDFa Lite: things of a page (`typeof`, `property`) as objects like those of JSON-LD.
import { localName } from '../model/thing.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { absolute, addProperty, elementValue, mentions, propertyName, wordsOf } from './item-values.ts'
import type { JsonObject } from './json-ld.ts'

const maxThings = 10_000
const maxDepth = 50

interface Open {
  thing: JsonObject
  end: NodeId
}

/** The things that are no property of another, in the order of the page. One pass, outer things on a stack. */
export function readRdfa(document: FlatDocument, baseUrl: string): JsonObject[] {
  if (!mentions(document.source, 'typeof=', 'typeof =', 'TYPEOF=', 'typeOf=')) return []
  const tops: JsonObject[] = []
  const open: Open[] = []
  for (let node = 1; node < document.size && tops.length < maxThings; node++) {
    while (open.length > 0 && node >= open.at(-1)!.end) open.pop()
    if (!document.isElement(node)) continue
    if (document.name(node) === 'template') node = document.end(node) - 1
    else readElement(document, node, baseUrl, tops, open)
  }
  return tops.filter(thing => Object.keys(thing).length > 1)
}

function readElement(
  document: FlatDocument,
  node: NodeId,
  baseUrl: string,
  tops: JsonObject[],
  open: Open[],
): void {
  const types = wordsOf(document.attribute(node, 'typeof')).map(localName)
  const names = wordsOf(document.attribute(node, 'property')).map(propertyName)
  const holder = open.at(-1)?.thing
  if (types.length === 0) {
    if (holder !== undefined && names.length > 0)
      addAll(holder, names, propertyValue(document, node, baseUrl))
    return
  }
  if (open.length === maxDepth) return
  const thing = newThing(document, node, types, baseUrl)
  if (holder !== undefined && names.length > 0) addAll(holder, names, thing)
  else tops.push(thing)
  open.push({ thing, end: document.end(node) })
}

function newThing(document: FlatDocument, node: NodeId, types: string[], baseUrl: string): JsonObject {
  const thing: JsonObject = { '@type': types.length === 1 ? types[0]! : types }
  const id = document.attribute(node, 'resource') ?? document.attribute(node, 'about')
  if (id?.trim()) thing['@id'] = absolute(id, baseUrl)
  return thing
}

function propertyValue(document: FlatDocument, node: NodeId, baseUrl: string): string {
  const resource = document.attribute(node, 'content') === null ? document.attribute(node, 'resource') : null
  return resource === null ? elementValue(document, node, baseUrl) : absolute(resource, baseUrl)
}

function addAll(holder: JsonObject, names: string[], value: JsonObject | string): void {
  for (const name of names) addProperty(holder, name, value)
}
