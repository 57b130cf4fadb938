// Parses the JSON-LD blocks of a page. Contexts are treated as names and never fetched.
import { scanJson } from '../lib/json/json-scan.ts'
import type { Json } from '../model/record.ts'
import type { FlatDocument } from './document/index.ts'
import { elementsNamed } from './elements-named.ts'
import { parseForgiving } from './json-repair.ts'

export type JsonObject = { [key: string]: Json }

/** Depth limit, so that a hostile page cannot exhaust the stack. */
const maxDepth = 100
const maxNodes = 300_000
/** Blocks with deeper nesting are not parsed. */
const maxNesting = 1_000

export interface JsonLd {
  /** The parsed blocks. Broken blocks are repaired if that is unambiguous, otherwise left out. */
  blocks: Json[]
  /** Number of blocks that were left out, because they have too many values or are nested too deeply. */
  leftOut: number
}

/** Reads blocks in document order. Leaves out a block that would raise the total above `maxNodes` values. */
export function readJsonLd(document: FlatDocument): JsonLd {
  const found: JsonLd = { blocks: [], leftOut: 0 }
  let left = maxNodes
  for (const node of elementsNamed(document, 'script')) {
    if (!isJsonLd(document.attribute(node, 'type'))) continue
    const text = document.text(node)
    const size = scanJson(text, { values: left, depth: maxNesting })
    if (typeof size !== 'number') {
      found.leftOut++
      continue
    }
    left -= size
    for (const value of parseForgiving(text))
      if (typeof value === 'object' && value !== null) found.blocks.push(value as Json)
  }
  return found
}

const isJsonLd = (type: string | null): boolean =>
  type !== null && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type)

/** Every object in the blocks, in document order, outer objects before inner ones. */
export function* jsonLdNodes(blocks: Json[]): Generator<JsonObject> {
  const open: Array<{ value: Json; depth: number }> = blocks.toReversed().map(value => ({ value, depth: 0 }))
  for (let seen = 0; open.length > 0 && seen < maxNodes; seen++) {
    const { value, depth } = open.pop()!
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield value
    if (depth === maxDepth) continue
    const inner = Array.isArray(value) ? value : Object.values(value)
    for (const child of inner.toReversed()) open.push({ value: child, depth: depth + 1 })
  }
}

export function hasType(node: JsonObject, type: string): boolean {
  const own = node['@type']
  if (typeof own === 'string') return shortName(own) === type
  return Array.isArray(own) && own.some(each => typeof each === 'string' && shortName(each) === type)
}

/** The last part of a type name in lower case: `http://schema.org/Product` and `schema:Product` become `product`. */
export function shortName(type: string): string {
  return type
    .slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf(':'), type.lastIndexOf('#')) + 1)
    .toLowerCase()
}
