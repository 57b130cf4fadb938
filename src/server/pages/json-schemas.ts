// Converts route schemas to JSON Schema with snake_case names, for the OpenAPI document.
import * as z from 'zod'
import { callersOwn, snake } from '../../model/letter-case.ts'

/** Schemas that refer to themselves, by name. */
export type Components = Record<string, unknown>

const inputs = ['body', 'querystring', 'params', 'headers'] as const

export function describeRoute(
  schema: Record<string, unknown>,
  components: Components,
): Record<string, unknown> {
  const described = { ...schema }
  for (const part of inputs)
    if (schema[part]) described[part] = jsonSchemaOf(schema[part], 'input', components)
  if (schema.response)
    described.response = Object.fromEntries(
      Object.entries(schema.response).map(([status, answer]) => [
        status,
        jsonSchemaOf(answer, 'output', components),
      ]),
    )
  return described
}

export function jsonSchemaOf(schema: unknown, io: 'input' | 'output', components: Components): unknown {
  if (!(schema instanceof z.ZodType)) return schema
  const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const prefix = `schema${Object.keys(components).length}_`
  const moved = (value: unknown): unknown => snakeSchemas(JSON.parse(refsTo(prefix, JSON.stringify(value))))
  for (const [name, definition] of Object.entries($defs))
    components[componentName(prefix, name)] = moved(definition)
  return moved(json)
}

/** A schema with an id has the same name in the whole document. Generated names get a prefix, so that two routes do not share
 *  them. */
const componentName = (prefix: string, name: string): string => (name.startsWith('__') ? prefix + name : name)

const refsTo = (prefix: string, text: string): string =>
  text.replace(
    /"#\/\$defs\/([^"]+)"/g,
    (_, name: string) => `"#/components/schemas/${componentName(prefix, name)}"`,
  )

/** Converts property names to snake_case. */
function snakeSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeSchemas)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(withProperties(value)).map(([key, entry]) => [key, snakeEntry(key, entry)]),
  )
}

interface KeyedSchema {
  propertyNames?: { enum?: string[] }
  additionalProperties?: unknown
  required?: string[]
}

/** Turns a record with known keys into an object with properties, so that generated clients have a type for each key. */
function withProperties(schema: object): object {
  const { propertyNames, additionalProperties, required, ...rest } = schema as KeyedSchema
  if (!propertyNames?.enum || !required) return schema
  const properties = Object.fromEntries(propertyNames.enum.map(key => [key, additionalProperties]))
  return { ...rest, properties, required, additionalProperties: false }
}

function snakeEntry(key: string, entry: unknown): unknown {
  if (key === 'properties' && typeof entry === 'object' && entry !== null)
    return Object.fromEntries(
      Object.entries(entry).map(([name, schema]) => [
        snake(name),
        callersOwn.has(name) ? schema : snakeSchemas(schema),
      ]),
    )
  if (key === 'required' && Array.isArray(entry)) return entry.map(name => snake(String(name)))
  // Examples, defaults and enums stay unchanged, because they already have the names that callers send.
  return key === 'examples' || key === 'default' || key === 'enum' ? entry : snakeSchemas(entry)
}
