// All structured data of a page: JSON-LD, microdata, RDFa, Open Graph, Twitter cards, translations, feeds.
import { cleanText } from '../lib/text/clean-text.ts'
import type { Json } from '../model/record.ts'
import { readAlternates } from './alternates.ts'
import type { JsonObject } from './json-ld.ts'
import { readMicrodata } from './microdata.ts'
import type { PageFacts } from './page-facts.ts'
import { readRdfa } from './rdfa.ts'

/** If the page lacks a kind of data, its key is missing. */
interface StructuredData {
  json_ld?: Json[]
  /** Items as objects in the form of JSON-LD. */
  microdata?: JsonObject[]
  rdfa?: JsonObject[]
  open_graph?: JsonObject
  twitter?: JsonObject
  /** All other meta elements by name. */
  meta?: JsonObject
  /** URLs of translations by language tag. */
  hreflang?: JsonObject
  feeds?: JsonObject[]
}

type MetaGroups = Record<'open_graph' | 'twitter' | 'meta', JsonObject>

const maxDepth = 50

/** `baseUrl` is the base of relative URLs. */
export function structuredData(facts: PageFacts, baseUrl: string): StructuredData {
  const { document } = facts
  return withoutEmpty({
    json_ld: facts.jsonLd.map(block => cleanJson(block, 0)),
    microdata: readMicrodata(document, baseUrl),
    rdfa: readRdfa(document, baseUrl),
    ...metaGroups(facts.meta),
    ...readAlternates(document, baseUrl),
  })
}

function metaGroups(meta: Map<string, string[]>): MetaGroups {
  const groups: MetaGroups = { open_graph: {}, twitter: {}, meta: {} }
  for (const [name, values] of meta) {
    const group = groups[groupOf(name)]
    const key = name.slice(prefixLength(name))
    if (key !== '__proto__') group[key] = values.length === 1 ? cleanText(values[0]!) : values.map(cleanText)
  }
  return groups
}

const prefixLength = (name: string): number =>
  name.startsWith('og:') ? 3 : name.startsWith('twitter:') ? 8 : 0

function groupOf(name: string): keyof MetaGroups {
  if (name.startsWith('og:')) return 'open_graph'
  return name.startsWith('twitter:') ? 'twitter' : 'meta'
}

const withoutEmpty = (data: Required<StructuredData>): StructuredData =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => Object.keys(value).length > 0))

/** Removes control characters from strings, and replaces values that are nested too deeply by null. */
function cleanJson(value: Json, depth: number): Json {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map(item => cleanJson(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanJson(inner, depth + 1)]))
}
