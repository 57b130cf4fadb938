// Finds values in JSON-LD by a path such as `Product.offers.price`.

import { Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/record.ts'
import { hasType, type JsonObject, jsonLdNodes, shortName } from './json-ld.ts'
import { isOwnOnly, mainEntity } from './main-entity.ts'

export interface JsonLdPath {
  /** The type in lower case. `*` means any type, `@main` the main entity of the page. */
  type: string
  steps: string[]
}

/** A value and the object that contains it. The object may also contain the currency. */
export interface JsonLdValue {
  value: Json
  holder: JsonObject | null
}

/** `Product.offers[0].price` and `Product.offers.0.price` mean the same. */
export function compileJsonLdPath(written: string, path: string): JsonLdPath {
  const [type = '', ...steps] = written
    .trim()
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
  if (type === '' || steps.includes('')) {
    throw new Failure(
      'input.invalid',
      `${path}: "${written}" is not a path like "Product.offers.price": a @type, then property names, with dots between`,
      { path, value: written },
    )
  }
  return { type: shortName(type), steps }
}

/** All values at the path, for every object of the type, in document order. Arrays are flattened. */
export function findJsonLd(blocks: Json[], { type, steps }: JsonLdPath): JsonLdValue[] {
  const values: JsonLdValue[] = []
  const lookUp = referenceLookup(blocks)
  for (const node of type === '@main' ? mainNode(blocks) : jsonLdNodes(blocks)) {
    if (type !== '*' && type !== '@main' && !hasType(node, type)) continue
    walk({ value: node, holder: null }, steps, 0, lookUp, values)
    if (type === '@main' && values.length === 0) walkParts(node, steps, lookUp, values)
  }
  return values
}

/** Searches the parts of the main entity two levels deep. For example, the price of a product is in its offers. */
function walkParts(node: JsonObject, steps: string[], lookUp: LookUp, values: JsonLdValue[]): void {
  if (isOwnOnly(steps[0] ?? '')) return
  let level = partsOf(node, lookUp)
  for (let depth = 0; depth < 2 && values.length === 0; depth++) {
    for (const part of level) walk({ value: part, holder: null }, steps, 0, lookUp, values)
    level = level.flatMap(part => partsOf(part, lookUp))
  }
}

const partsOf = (node: JsonObject, lookUp: LookUp): JsonObject[] =>
  Object.values(node)
    .flat()
    .filter(isObject)
    .map(part => resolved(part, lookUp))

function mainNode(blocks: Json[]): JsonObject[] {
  const described = [...jsonLdNodes(blocks)].flatMap(node => {
    const [type] = [node['@type']].flat()
    return typeof type === 'string' ? [{ type: shortName(type), node }] : []
  })
  const main = mainEntity(described)
  return main ? [main.node] : []
}

type LookUp = (id: string) => JsonObject | undefined

function walk(from: JsonLdValue, steps: string[], at: number, lookUp: LookUp, values: JsonLdValue[]): void {
  const { value } = from
  if (value === null || value === undefined) return
  if (Array.isArray(value)) {
    walkArray(from, value, steps, at, lookUp, values)
  } else if (typeof value !== 'object') {
    if (at === steps.length) values.push(from)
  } else {
    const holder = resolved(value, lookUp)
    if (at === steps.length) values.push({ ...from, value: holder })
    const step = steps[at]
    if (step !== undefined && Object.hasOwn(holder, step))
      walk({ value: holder[step]!, holder }, steps, at + 1, lookUp, values)
  }
}

function walkArray(
  from: JsonLdValue,
  items: Json[],
  steps: string[],
  at: number,
  lookUp: LookUp,
  values: JsonLdValue[],
): void {
  const step = steps[at] ?? ''
  if (/^\d+$/.test(step)) {
    walk({ ...from, value: items[Number(step)] ?? null }, steps, at + 1, lookUp, values)
    return
  }
  for (const value of items) {
    // Skip nested arrays: they have no meaning in JSON-LD, and a page could use them to exhaust the stack.
    if (!Array.isArray(value)) walk({ ...from, value }, steps, at, lookUp, values)
  }
}

/** An object with only `@id` refers to the object with that id elsewhere on the page. */
function resolved(value: JsonObject, lookUp: LookUp): JsonObject {
  const id = value['@id']
  const isReference = typeof id === 'string' && Object.keys(value).length === 1
  return (isReference ? lookUp(id) : undefined) ?? value
}

/** The index is built for the first reference, because most pages have none. */
function referenceLookup(blocks: Json[]): LookUp {
  let byId: Map<string, JsonObject> | null = null
  return id => {
    byId ??= indexById(blocks)
    return byId.get(id)
  }
}

export function indexById(blocks: Json[]): Map<string, JsonObject> {
  const byId = new Map<string, JsonObject>()
  for (const node of jsonLdNodes(blocks)) {
    const id = node['@id']
    if (typeof id === 'string' && Object.keys(node).length > 1 && !byId.has(id)) byId.set(id, node)
  }
  return byId
}

/** A value as text. For an object, its name or value. */
export function jsonLdText(value: Json): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || Array.isArray(value)) return null
  for (const key of ['@value', 'name', 'price', 'value', 'url', '@id']) {
    const inner = value[key]
    if (typeof inner === 'string' || typeof inner === 'number') return String(inner)
  }
  return null
}
