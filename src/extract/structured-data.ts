// What a page says about itself to programs: JSON-LD, Open Graph, Twitter cards and plain meta elements.
import { cleanText } from '../lib/clean-text.ts'
import type { Json } from '../model/record.ts'
import type { PageFacts } from './page-facts.ts'

export interface StructuredData {
  [key: string]: Json
  json_ld: Json[]
  open_graph: { [key: string]: Json }
  twitter: { [key: string]: Json }
  meta: { [key: string]: Json }
}

const maxDepth = 50

export function structuredData(facts: PageFacts): StructuredData {
  const data: StructuredData = { json_ld: [], open_graph: {}, twitter: {}, meta: {} }
  data.json_ld = facts.jsonLd.map(block => cleanJson(block, 0))
  for (const [name, values] of facts.meta) {
    const group = groupOf(data, name)
    const key = name.replace(/^(?:og|twitter):/, '')
    if (key !== '__proto__') group[key] = values.length === 1 ? cleanText(values[0]!) : values.map(cleanText)
  }
  return data
}

function groupOf(data: StructuredData, name: string): { [key: string]: Json } {
  if (name.startsWith('og:')) return data.open_graph
  return name.startsWith('twitter:') ? data.twitter : data.meta
}

/** Strings without control characters; what lies too deep is cut. */
function cleanJson(value: Json, depth: number): Json {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map(item => cleanJson(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanJson(inner, depth + 1)]))
}
