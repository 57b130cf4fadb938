// Fields of a JSON Schema found in a page by their names: in its JSON-LD, its microdata, its meta elements.

import { titleOf } from '../extract/default-record.ts'
import { compileSelector, type FlatDocument, parseDocument, selectAll } from '../extract/document/index.ts'
import { elementText } from '../extract/element-text.ts'
import { findJsonLd, jsonLdText } from '../extract/json-ld-path.ts'
import { findLinks } from '../extract/links.ts'
import { PageFacts } from '../extract/page-facts.ts'
import { cleanText } from '../lib/clean-text.ts'
import type { ExtractionRules, FieldRule, FieldType } from '../model/extraction-rules.ts'
import type { Json, RecordData } from '../model/record.ts'
import { coerce } from '../normalize/index.ts'

export type JsonSchema = Record<string, unknown>

const mostNesting = 5
const ruleName = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/

/** Names of the fields that a schema asks for; a list of objects asks for those of its items. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  const { properties, items } = schema as { properties?: unknown; items?: unknown }
  if (isObject(properties)) return properties as Record<string, JsonSchema>
  return isObject(items) ? propertiesOf(items) : {}
}

/** Rules that a model fills up where they find nothing; null where the schema names no field. */
export function rulesOfSchema(schema: JsonSchema): ExtractionRules | null {
  const fields = ruleFields(schema, 0)
  return fields && { fields }
}

function ruleFields(schema: JsonSchema, depth: number): Record<string, FieldRule> | null {
  const entries = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const rule = ruleName.test(name) && depth < mostNesting ? ruleOf(name, property, depth) : null
    return rule ? [[name, rule] as const] : []
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function ruleOf(name: string, property: JsonSchema, depth: number): FieldRule | null {
  const many = typeOf(property) === 'array'
  const nested = ruleFields(property, depth + 1)
  const item = many && isObject(property.items) ? (property.items as JsonSchema) : property
  const isHolder = typeOf(item) === 'object'
  if (isHolder) return nested && { fields: nested, wanted: true, ...(many && { many }) }
  return { jsonld: `*.${name}`, as: fieldTypeOf(item), wanted: true, ...(many && { many }) }
}

const typeOf = ({ type }: JsonSchema): unknown =>
  Array.isArray(type) ? type.find(one => one !== 'null') : type

function fieldTypeOf(schema: JsonSchema): FieldType {
  const type = typeOf(schema)
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (schema.format === 'uri' || schema.format === 'url') return 'url'
  return schema.format === 'date' || schema.format === 'date-time' ? 'date' : 'text'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the page says about the fields, by their names; null for those of which it says nothing. */
export function schemaFields(source: string, url: string, schema: JsonSchema): RecordData {
  const document = parseDocument(source)
  const page = { document, facts: new PageFacts(document), base: findLinks(document, url).base }
  const fields = Object.entries(propertiesOf(schema)).map(([name, property]) => [
    name,
    fieldValue(page, name, property),
  ])
  return Object.fromEntries(fields) as RecordData
}

interface LookedAt {
  document: FlatDocument
  facts: PageFacts
  base: string
}

function fieldValue(page: LookedAt, name: string, property: JsonSchema): Json {
  const many = typeOf(property) === 'array'
  const item = many && isObject(property.items) ? (property.items as JsonSchema) : property
  const found = [...new Set(spellings(name).flatMap(spelling => linkedData(page, spelling, item)))]
  const values =
    found.length > 0 ? found : textsNamed(page, name).flatMap(text => read(page, text, item, false))
  if (many) return values
  return values[0] ?? null
}

/** `publishedAt`, `published_at` and `PublishedAt` are one field. */
const spellings = (name: string): string[] => {
  const camel = name.replace(/[_-]([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
  return [...new Set([name, camel, `${camel[0]?.toLowerCase()}${camel.slice(1)}`])]
}

function linkedData(page: LookedAt, name: string, item: JsonSchema): Json[] {
  const found = findJsonLd(page.facts.jsonLd, { type: '*', steps: [name] })
  if (typeOf(item) === 'object')
    return found.flatMap(({ value }) => (isObject(value) ? [picked(value as RecordData, item)] : []))
  return found.flatMap(({ value }) => {
    const text = jsonLdText(value)
    return text === null ? [] : read(page, text, item, true)
  })
}

const picked = (value: RecordData, schema: JsonSchema): Json =>
  Object.fromEntries(Object.keys(propertiesOf(schema)).map(name => [name, value[name] ?? null]))

/** Where pages without JSON-LD say such things. */
function textsNamed({ document, facts }: LookedAt, name: string): string[] {
  const lower = name.toLowerCase()
  if (!/^[\w-]+$/.test(lower)) return []
  const props = selectAll(document, compileSelector(`[itemprop="${name}"]`), 0).map(
    node => document.attribute(node, 'content') ?? cleanText(elementText(document, node)),
  )
  const meta = [`og:${lower}`, `product:${lower}`, `article:${lower}`, lower].flatMap(
    key => facts.meta.get(key) ?? [],
  )
  const title = lower === 'title' || lower === 'name' ? [titleOf(facts) ?? ''] : []
  return [...props, ...meta, ...title].filter(text => text !== '')
}

function read({ facts, base }: LookedAt, text: string, item: JsonSchema, machine: boolean): Json[] {
  const value = coerce(text, fieldTypeOf(item), { baseUrl: base, language: facts.language, machine })
  return value === null || value === '' ? [] : [value]
}
