// Merges the fields of several pages for one schema: lists are joined, other fields keep their first value.
import { isObject } from '../../../../model/json.ts'
import type { JsonSchema } from '../options.ts'

export interface PageFields {
  url: string
  fields: Record<string, unknown>
}

interface Merged {
  fields: Record<string, unknown>
  /** The URLs of the pages that supplied each field. */
  sources: Record<string, string[]>
}

export function mergeFields(pages: readonly PageFields[]): Merged {
  const fields: Record<string, unknown> = {}
  const sources: Record<string, string[]> = {}
  for (const { url, fields: own } of pages)
    for (const [name, value] of Object.entries(own)) {
      const before = fields[name]
      fields[name] = before === undefined ? value : joined(before, value)
      if (hasValue(value) && JSON.stringify(before) !== JSON.stringify(fields[name])) {
        sources[name] ??= []
        sources[name].push(url)
      }
    }
  return { fields, sources }
}

function joined(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) return distinct([...first, ...second])
  if (!hasValue(first)) return second ?? first
  if (isObject(first) && isObject(second))
    return Object.fromEntries(
      [...new Set([...Object.keys(first), ...Object.keys(second)])].map(name => [
        name,
        joined(first[name] ?? null, second[name] ?? null),
      ]),
    )
  return first
}

const distinct = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map(value => [JSON.stringify(value), value])).values(),
]

export function hasValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) ? Object.values(value).some(hasValue) : true
}

/** The field that holds the list if the schema is a list. */
const listName = 'items'

const isListSchema = (schema: JsonSchema): boolean =>
  schema.type === 'array' || (schema.items !== undefined && schema.properties === undefined)

/** Pages are parsed into objects. So a list schema becomes an object schema with one field. */
export const asObjectSchema = (schema: JsonSchema): JsonSchema =>
  isListSchema(schema) ? { type: 'object', properties: { [listName]: schema } } : schema

/** Converts the fields back to the shape of the caller's schema. */
export const inShape = (schema: JsonSchema, fields: Record<string, unknown>): unknown =>
  isListSchema(schema) ? (fields[listName] ?? []) : fields
