// The schema.org types that a page declares in JSON-LD and microdata.
import type { Json } from '../model/record.ts'
import type { FlatDocument } from './document/index.ts'
import { mayHaveMicrodata } from './item-values.ts'
import { type JsonObject, shortName } from './json-ld.ts'
import type { PageFacts } from './page-facts.ts'

/** Properties that lead to the main subject of the page. */
const toMain = ['@graph', 'mainEntity', 'mainEntityOfPage', 'about'] as const
const maxDepth = 4
const maxTypes = 200

/** The number of declarations of each type. Types are short names in lower case. Counts only outermost things, and
 *  things to which the properties `toMain` lead. */
export function declaredTypes(facts: PageFacts): Map<string, number> {
  const types = new Map<string, number>()
  for (const block of facts.jsonLd) addTypes(types, block, 0)
  if (mayHaveMicrodata(facts.document)) addMicrodata(types, facts.document)
  return types
}

function addTypes(types: Map<string, number>, value: Json, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return
  if (Array.isArray(value)) {
    for (const item of value.slice(0, maxTypes)) addTypes(types, item, depth)
    return
  }
  for (const name of typeNames(value)) count(types, name)
  for (const property of toMain)
    if (value[property] !== undefined && !(property === 'about' && depth > 0))
      addTypes(types, value[property], depth + 1)
}

function typeNames(value: JsonObject): string[] {
  const own = value['@type']
  const written = Array.isArray(own) ? own : [own]
  return written.flatMap(type => (typeof type === 'string' ? [shortName(type)] : []))
}

/** Counts outermost items only. An item inside another item is a property of that item. */
function addMicrodata(types: Map<string, number>, document: FlatDocument): void {
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const type = document.attribute(node, 'itemtype')
    if (type === null || document.attribute(node, 'itemscope') === null) continue
    const name = shortName(type.trim().split(/\s+/, 1)[0]!)
    count(types, name)
    // Continue inside a WebPage item, because it contains all other items.
    if (!name.endsWith('page')) node = document.end(node) - 1
  }
}

function count(types: Map<string, number>, name: string): void {
  if (types.size < maxTypes) types.set(name, (types.get(name) ?? 0) + 1)
}
