// Typed things that a page describes: JSON-LD first, then microdata, then RDFa.

import { localName, type Thing } from '../model/page/thing.ts'
import type { Json } from '../model/record.ts'
import type { FlatDocument } from './document/index.ts'
import { type JsonObject, jsonLdNodes, readJsonLd } from './json-ld.ts'
import { indexById } from './json-ld-path.ts'
import { readMicrodata } from './microdata.ts'
import { readRdfa } from './rdfa.ts'

/** Follows nested references only this deep, because pages have cycles. */
const maxReferences = 2
const maxThings = 10_000
/** Most objects resolved for references per page. */
const maxResolved = 20_000

/** Every typed thing, outer before inner. `baseUrl` is the base of relative URLs. */
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

/** `{ "@id": "#maker" }` refers to the object with that id elsewhere on the page. */
class References {
  readonly #byId: Map<string, JsonObject>
  #left = maxResolved

  constructor(blocks: Json[]) {
    this.#byId = indexById(blocks)
  }

  /** Replaces references by their objects; returns the same object if there are none. */
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
