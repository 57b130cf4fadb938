// Completes the schemas of the OpenAPI document: a description and an example for every field.
import { descriptionsA } from './descriptions-a.ts'
import { descriptionsM } from './descriptions-m.ts'

type Schema = Record<string, unknown>

const descriptions: Readonly<Record<string, string>> = { ...descriptionsA, ...descriptionsM }

/** Values that samples can be pasted with. */
const examples: Readonly<Record<string, unknown>> = {
  url: 'https://example.com/',
  urls: ['https://example.com/'],
  seed_urls: ['https://example.com/'],
  sitemap_url: 'https://example.com/sitemap.xml',
  webhook_url: 'https://hooks.example.com/done',
  final_url: 'https://example.com/',
  job_id: 'shop-1',
  task_id: 'shop-1.1',
  item_id: 'row-1',
  request_id: '6bf43854-cb50-4347-8726-c0542cccf142',
  host: 'example.com',
  origin: 'https://example.com',
  cron: '0 7 * * 1-5',
  time_zone: 'Europe/Berlin',
  user_agent: 'example-bot/1.0',
  country: 'DE',
  message: 'example.com answered 404',
  css: 'h1',
  xpath: '//h1',
  jsonld: 'Product.offers.price',
  file_name: 'urls.csv',
  scraper: 'page@1',
  scraper_id: 'page',
}

/** Describes every property below. What a schema says itself stays. */
export function describedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describedFields)
  if (!isSchema(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      key === 'properties' && isSchema(entry)
        ? describedProperties(entry)
        : isData(key)
          ? entry
          : describedFields(entry),
    ]),
  )
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** These hold values, not schemas. */
const isData = (key: string): boolean => ['examples', 'example', 'default', 'enum', 'const'].includes(key)

const describedProperties = (properties: Schema): Schema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, given]) => {
      const schema = describedFields(given)
      if (!isSchema(schema)) return [name, schema]
      const said = { ...schema }
      said.description ??= descriptions[name] ?? `${name.replaceAll('_', ' ')}.`
      if (said.example === undefined && said.examples === undefined) said.examples = [exampleOf(name, schema)]
      return [name, said]
    }),
  )

const deepest = 4

/** A value that fits the schema. */
function exampleOf(name: string, schema: Schema, depth = 0): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as Schema[] | undefined
  if (choice) return exampleOf(name, choice.find(({ type }) => type !== 'null') ?? {}, depth + 1)
  const type = Array.isArray(schema.type) ? schema.type.find(each => each !== 'null') : schema.type
  const known = examples[name]
  if (known !== undefined && typeNameOf(known) === type) return known
  return exampleOfType(name, String(type), schema, depth)
}

const typeNameOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

function exampleOfType(name: string, type: string, schema: Schema, depth: number): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(1, Number(schema.minimum ?? 1))
  if (type === 'string') return exampleText(name, schema)
  if (type === 'array')
    return depth < deepest && isSchema(schema.items) ? [exampleOf(name, schema.items, depth + 1)] : []
  if (type !== 'object' || depth >= deepest || !isSchema(schema.properties))
    return type === 'object' ? {} : null
  const required = new Set((schema.required as string[] | undefined) ?? [])
  return Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([key]) => required.has(key))
      .map(([key, entry]) => [key, exampleOf(key, isSchema(entry) ? entry : {}, depth + 1)]),
  )
}

function exampleText(name: string, { format }: Schema): string {
  if (format === 'date-time' || name.endsWith('_at')) return '2026-01-31T09:30:00.000Z'
  if (format === 'uri' || name.endsWith('_url')) return 'https://example.com/'
  return name.endsWith('_id') ? `${name.slice(0, -3)}-1` : name
}

/** The words for a path or query parameter. */
export const parameterWords = (name: string): string => descriptions[name] ?? `${name.replaceAll('_', ' ')}.`
