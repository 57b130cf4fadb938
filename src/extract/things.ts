// Typed things that a page describes, from JSON-LD first, then from microdata, then from RDFa.

import { localName, type Thing } from '../model/page/thing.ts'
import type { Json } from '../model/record.ts'
import type { FlatDocument } from './document/index.ts'
import { type JsonObject, jsonLdNodes, readJsonLd } from './json-ld.ts'
import { indexById } from './json-ld-path.ts'
import { readMicrodata } from './microdata.ts'
import { readRdfa } from './rdfa.ts'

/** Depth to which nested references are followed. Without this limit, cycles of references would never end. */
const maxReferences = 2
const maxThings = 10_000
/** Maximum number of objects per page in which references are resolved. */
const maxResolved = 20_000

/** All typed things, outer things before inner ones. `baseUrl` is the base of relative URLs. */
export function thingsOf(document: FlatDocument, baseUrl: string): Thing[] {
  return [
    ...thingsIn(readJsonLd(document).blocks, 'jsonld'),
    ...thingsIn(readMicrodata(document, baseUrl), 'microdata'),
    ...thingsIn(readRdfa(document, baseUrl), 'rdfa'),
  ]
}

function thingsIn(blocks: Json[], from: Thing['from']): Thing[] {
  const things: Thing[] = []
  const references = from === 'microdata' ? null : new References(blocks)
  for (const node of jsonLdNodes(blocks)) {
    const types = typesOf(node)
    if (types.length === 0) continue
    things.push({ type: types[0]!, types, from, properties: references?.resolved(node) ?? node })
    if (things.length === maxThings) break
  }
  return things
}

function typesOf(node: JsonObject): string[] {
  const own = node['@type']
  const written = Array.isArray(own) ? own : [own]
  return written.flatMap(type => (typeof type === 'string' && type !== '' ? [localName(type)] : []))
}

/** Resolves references: an object with only `@id` refers to the object with that id elsewhere on the page. */
class References {
  readonly #byId: Map<string, JsonObject>
  #left = maxResolved

  constructor(blocks: Json[]) {
    this.#byId = indexById(blocks)
  }

  /** Returns a copy in which references are replaced by their objects. Returns the object itself if a limit is reached
   *  or the page has nothing to refer to. */
  resolved(node: JsonObject, depth = 0): JsonObject {
    if (this.#byId.size === 0 || depth === maxReferences || this.#left-- <= 0) return node
    const entries = Object.entries(node).map(([key, value]): [string, Json] => [
      key,
      this.#stoodFor(value, depth),
    ])
    return Object.fromEntries(entries)
  }

  #stoodFor(value: Json, depth: number): Json {
    if (Array.isArray(value))
      return value.map(item => (Array.isArray(item) ? item : this.#stoodFor(item, depth)))
    if (typeof value !== 'object' || value === null) return value
    const id = value['@id']
    const isReference = typeof id === 'string' && Object.keys(value).length === 1
    return this.resolved((isReference ? this.#byId.get(id) : undefined) ?? value, depth + 1)
  }
}
