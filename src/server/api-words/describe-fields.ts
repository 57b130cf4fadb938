// Completes the schemas of the OpenAPI document: a description and an example for every field.
import { isObject } from '../../model/json.ts'
import { descriptionsA } from './descriptions-a.ts'
import { descriptionsInContext } from './descriptions-in-context.ts'
import { descriptionsM } from './descriptions-m.ts'
import { fieldExamples } from './field-examples.ts'

export type Schema = Record<string, unknown>

const descriptions: Readonly<Record<string, string>> = {
  ...descriptionsA,
  ...descriptionsM,
  ...descriptionsInContext,
}

/** Adds a description to every property in `value`, at any depth. An existing description stays. `place` names the
 *  property or component that contains `value`. */
export function describedFields(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) return value.map(entry => describedFields(entry, place))
  if (!isObject(value)) return value
  return mapEntries(value, (key, entry) => {
    if (key === 'properties' && isObject(entry)) return describedProperties(entry, place)
    return isData(key) ? entry : describedFields(entry, place)
  })
}

/** Describes every property of named schemas. */
export const describedSchemas = (schemas: Schema): Schema =>
  mapEntries(schemas, (name, schema) => describedFields(schema, name))

/** The values of these keys are data, not schemas. */
export const isData = (key: string): boolean =>
  ['examples', 'example', 'default', 'enum', 'const'].includes(key)

const describedProperties = (properties: Schema, place: string): Schema =>
  mapEntries(properties, (name, given) => {
    const schema = describedFields(given, name)
    if (!isObject(schema)) return schema
    const said = { ...schema }
    said.description ??= wordsOf(name, place)
    if (said.example === undefined && said.examples === undefined)
      said.examples = [exampleOf(name, schema, place)]
    return said
  })

const wordsOf = (name: string, place: string): string =>
  descriptions[`${place}.${name}`] ?? descriptions[name] ?? `${name.replaceAll('_', ' ')}.`

const mapEntries = (value: Schema, map: (key: string, entry: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, map(key, entry)]))

const deepest = 4

/** An example value that is valid for the schema. */
function exampleOf(name: string, schema: Schema, place: string, depth = 0): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  const known = fieldExamples[`${place}.${name}`] ?? fieldExamples[name]
  if (known !== undefined && fits(known, schema)) return known
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as Schema[] | undefined
  if (choice) return exampleOf(name, choice.find(({ type }) => type !== 'null') ?? {}, place, depth + 1)
  return exampleOfType(name, typeOf(schema), schema, depth)
}

const typeOf = (schema: Schema): string =>
  String(Array.isArray(schema.type) ? schema.type.find(each => each !== 'null') : schema.type)

/** Whether the example has the type of the schema. Formats and limits are checked by the linter of the OpenAPI document. */
function fits(example: unknown, schema: Schema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(example)
  const type = typeOf(schema)
  if (Array.isArray(example))
    return type === 'array' && hasPlainItems(schema) === (typeof example[0] !== 'object')
  if (typeof example === 'number') return type === 'number' || type === 'integer'
  return typeof example === type && schema.properties === undefined
}

const hasPlainItems = ({ items }: Schema): boolean => isObject(items) && items.properties === undefined

function exampleOfType(name: string, type: string, schema: Schema, depth: number): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(1, Number(schema.minimum ?? 1))
  if (type === 'string') return exampleText(name, schema)
  if (type === 'array')
    return depth < deepest && isObject(schema.items) ? [exampleOf(name, schema.items, name, depth + 1)] : []
  if (type !== 'object' || depth >= deepest || !isObject(schema.properties))
    return type === 'object' ? {} : null
  const required = new Set((schema.required as string[] | undefined) ?? [])
  return Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([key]) => required.has(key))
      .map(([key, entry]) => [key, exampleOf(key, isObject(entry) ? entry : {}, name, depth + 1)]),
  )
}

function exampleText(name: string, { format }: Schema): string {
  if (format === 'date-time' || name.endsWith('_at') || name.endsWith('_until'))
    return '2026-01-31T09:30:00.000Z'
  if (format === 'uri' || name.endsWith('_url')) return 'https://example.com/'
  return name.endsWith('_id') ? `${name.slice(0, -3)}-1` : name
}

/** The description of a path or query parameter. */
export const parameterWords = (name: string): string => wordsOf(name, 'parameter')
