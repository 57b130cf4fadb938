// Finds the fields of a JSON Schema in a page by their names. It looks in the main entity of the page, its meta elements, and its
// repeated blocks.

import { titleOf } from '../../../extract/default-record.ts'
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  parseDocument,
  selectAll,
  selectFirst,
} from '../../../extract/document/index.ts'
import { elementText } from '../../../extract/element-text.ts'
import { jsonLdText } from '../../../extract/json-ld-path.ts'
import { findLinks } from '../../../extract/links.ts'
import { isBeside, isOwnOnly, listedThings, mainEntity } from '../../../extract/main-entity.ts'
import { PageFacts } from '../../../extract/page-facts.ts'
import { repeatedBlocks } from '../../../extract/repeated-blocks.ts'
import { thingsOf } from '../../../extract/things.ts'
import { cleanText } from '../../../lib/text/clean-text.ts'
import { type ExtractionRules, type FieldRule, maxHint, maxPrompt } from '../../../model/extraction-rules.ts'
import { isObject } from '../../../model/json.ts'
import { localName, type Thing } from '../../../model/page/thing.ts'
import type { Json, RecordData } from '../../../model/record.ts'
import { coerce } from '../../../normalize/index.ts'
import { hasValue } from './record-fields.ts'
import { fieldTypeOf, isList, itemOf, type JsonSchema, propertiesOf, typeOf } from './schema-shape.ts'

const mostNesting = 5
const ruleName = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/

/** Turns a schema into rules without selectors, so that a model fills in all fields. Null if the schema has no field. The model
 *  also gets the prompt and the schema's descriptions. */
export function rulesOfSchema(schema: JsonSchema, prompt = ''): ExtractionRules | null {
  const fields = ruleFields(schema, 0)
  const goal = [prompt, describedBy(schema)].filter(Boolean).join('\n').slice(0, maxPrompt)
  return fields && { fields, ...(goal !== '' && { prompt: goal }) }
}

const describedBy = ({ description }: JsonSchema): string =>
  typeof description === 'string' ? description.trim() : ''

function ruleFields(schema: JsonSchema, depth: number): Record<string, FieldRule> | null {
  const entries = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const rule = ruleName.test(name) && depth < mostNesting ? ruleOf(name, property, depth) : null
    return rule ? [[name, rule] as const] : []
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function ruleOf(name: string, property: JsonSchema, depth: number): FieldRule | null {
  const many = isList(property)
  const nested = ruleFields(property, depth + 1)
  const item = itemOf(property)
  const isHolder = typeOf(item) === 'object'
  const hint = hintOf(property, item)
  const asked = { wanted: true, ...(hint !== '' && { hint }), ...(many && { many }) }
  if (isHolder) return nested && { fields: nested, ...asked }
  return { jsonld: `@main.${name}`, as: fieldTypeOf(item), ...asked }
}

/** The descriptions of a field and its items, and its allowed values. */
function hintOf(property: JsonSchema, item: JsonSchema): string {
  const choices = Array.isArray(item.enum) ? `one of: ${item.enum.map(String).join(', ')}` : ''
  const parts = new Set([describedBy(property), describedBy(item), choices])
  return [...parts].filter(Boolean).join('; ').slice(0, maxHint)
}

/** The values of the fields, by name; null for fields that the page does not have. */
export function schemaFields(source: string, url: string, schema: JsonSchema): RecordData {
  const document = parseDocument(source)
  const facts = new PageFacts(document)
  const { base } = findLinks(document, url)
  const things = thingsOf(document, base)
  const page: LookedAt = { document, facts, base, things, main: mainEntity(things) }
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
  things: Thing[]
  /** The main entity of the page, such as its product. Other entities, such as breadcrumbs, supply no values. Null if unknown. */
  main: Thing | null
}

function fieldValue(page: LookedAt, name: string, property: JsonSchema): Json {
  const many = isList(property)
  const item = itemOf(property)
  const found = [...new Set(spellings(name).flatMap(spelling => ofMain(page, spelling, item)))]
  if (many && found.length === 0 && typeOf(item) === 'object') return listed(page, item)
  const values =
    found.length > 0 ? found : textsNamed(page, name).flatMap(text => read(page, text, item, false))
  if (many) return values
  return values[0] ?? null
}

/** Other spellings of a field name: `published_at` also matches `publishedAt`. */
const spellings = (name: string): string[] => {
  const camel = name.replace(/[_-]([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
  return [...new Set([name, camel, `${camel[0]?.toLowerCase()}${camel.slice(1)}`])]
}

function ofMain(page: LookedAt, name: string, item: JsonSchema): Json[] {
  if (page.main === null) return []
  const found = valuesNamed(page.main.properties, name)
  if (typeOf(item) === 'object')
    return found.flatMap(value => (isObject(value) ? [picked(value as RecordData, item)] : []))
  return found.flatMap(value => {
    const text = jsonLdText(value)
    return text === null ? [] : read(page, text, item, true)
  })
}

/** The values of a property. If the object lacks it, nested objects are searched: the price of a product is in its offers. */
function valuesNamed(properties: RecordData, name: string, depth = 0): Json[] {
  const own = properties[name]
  if (own !== undefined && own !== null) return [own].flat() as Json[]
  if (depth === 2 || isOwnOnly(name)) return []
  return Object.values(properties)
    .flat()
    .filter(isObject)
    .flatMap(part => valuesNamed(part as RecordData, name, depth + 1))
}

const picked = (value: RecordData, schema: JsonSchema): Json =>
  Object.fromEntries(Object.keys(propertiesOf(schema)).map(name => [name, value[name] ?? null]))

/** Items of a list: entities that the page describes one by one, or else repeated blocks of its markup. */
function listed(page: LookedAt, item: JsonSchema): Json[] {
  const fields = Object.entries(propertiesOf(item))
  const described = listedThings(page.things).map(thing =>
    objectOf(fields, (name, schema) =>
      spellings(name).flatMap(each => ofMain({ ...page, main: thing }, each, schema)),
    ),
  )
  const found = described.filter(hasValue)
  if (found.length > 0) return found
  return repeatedBlocks(page.document)
    .map(block => objectOf(fields, (name, schema) => inBlock(page, block, name, schema)))
    .filter(hasValue)
}

const objectOf = (
  fields: Array<[string, JsonSchema]>,
  valuesOf: (name: string, schema: JsonSchema) => Json[],
) =>
  Object.fromEntries(fields.map(([name, schema]) => [name, valuesOf(name, schema)[0] ?? null])) as RecordData

/** Selectors for common fields inside a repeated block, by field name. */
const places: Array<[names: RegExp, selector: string]> = [
  [/^(?:title|name|headline)$/i, 'h1, h2, h3, h4, h5, h6, a[href]'],
  [/^(?:url|link|href)$/i, 'a[href]::attr(href)'],
  [/^(?:image|img|thumbnail|picture)(?:_?url)?$/i, 'img[src]::attr(src)'],
  [/^(?:date|published\w*|time)$/i, 'time'],
  [/^(?:description|summary|text|excerpt)$/i, 'p'],
]

function inBlock(page: LookedAt, block: NodeId, name: string, item: JsonSchema): Json[] {
  const { document } = page
  const plain = /^[\w-]+$/.test(name) ? name.replaceAll('_', '-') : null
  const usual = places.find(([names]) => names.test(name))?.[1]
  const named =
    plain === null ? [] : [`[itemprop="${name}" i]`, `[class~="${plain}" i]`, `[class*="${plain}" i]`]
  for (const css of [...named, ...(usual ? [usual] : [])]) {
    const selector = compileSelector(css)
    const node = selectFirst(document, selector, block)
    if (node === -1) continue
    const text = selector.attribute ? document.attribute(node, selector.attribute) : textAt(document, node)
    const values = text ? read(page, text, addressIfLink(name, item), false) : []
    if (values.length > 0) return values
  }
  return []
}

const textAt = (document: FlatDocument, node: NodeId): string =>
  document.attribute(node, 'content') ??
  document.attribute(node, 'datetime') ??
  cleanText(elementText(document, node))

const addressIfLink = (name: string, item: JsonSchema): JsonSchema =>
  /^(?:url|link|href|image|img|thumbnail|picture)(?:_?url)?$/i.test(name) && !item.format
    ? { ...item, format: 'uri' }
    : item

/** Values of a field in a page without structured data. */
function textsNamed({ document, facts }: LookedAt, name: string): string[] {
  const lower = name.toLowerCase()
  if (!/^[\w-]+$/.test(lower)) return []
  const props = selectAll(document, compileSelector(`[itemprop="${name}"]`), 0)
    .filter(node => !isOfOther(document, node))
    .map(node => textAt(document, node))
  const meta = [`og:${lower}`, `product:${lower}`, `article:${lower}`, lower].flatMap(
    key => facts.meta.get(key) ?? [],
  )
  const title = lower === 'title' || lower === 'name' ? [titleOf(facts) ?? ''] : []
  return [...props, ...meta, ...title].filter(text => text !== '')
}

/** Whether the property belongs to a breadcrumb, a brand or another entity than the main one. */
function isOfOther(document: FlatDocument, property: NodeId): boolean {
  for (let node = document.parent(property); node > 0; node = document.parent(node)) {
    const type = document.attribute(node, 'itemtype')
    if (type !== null) return isBeside(localName(type.trim()))
  }
  return false
}

function read({ facts, base }: LookedAt, text: string, item: JsonSchema, machine: boolean): Json[] {
  const value = coerce(text, fieldTypeOf(item), { baseUrl: base, language: facts.language, machine })
  return value === null || value === '' ? [] : [value]
}
