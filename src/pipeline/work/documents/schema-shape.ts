// Reads a JSON Schema: its properties, and the types of their values.

import type { FieldType } from '../../../model/extraction-rules.ts'
import { isObject } from '../../../model/json.ts'

export type JsonSchema = Record<string, unknown>

/** The properties of a schema by name. For a list of objects, the properties of its items. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  const { properties, items } = schema as { properties?: unknown; items?: unknown }
  if (isObject(properties)) return properties as Record<string, JsonSchema>
  return isObject(items) ? propertiesOf(items) : {}
}

/** The type besides `null`. */
export const typeOf = ({ type }: JsonSchema): unknown =>
  Array.isArray(type) ? type.find(one => one !== 'null') : type

export const isList = (schema: JsonSchema): boolean => typeOf(schema) === 'array'

/** For a list the schema of its items, else the schema itself. */
export const itemOf = (schema: JsonSchema): JsonSchema =>
  isList(schema) && isObject(schema.items) ? (schema.items as JsonSchema) : schema

export function fieldTypeOf(schema: JsonSchema): FieldType {
  const type = typeOf(schema)
  if (type === 'number' || type === 'integer' || type === 'boolean') return type
  if (schema.format === 'uri' || schema.format === 'url') return 'url'
  return schema.format === 'date' || schema.format === 'date-time' ? 'date' : 'text'
}
