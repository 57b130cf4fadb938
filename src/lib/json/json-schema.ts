// The JSON Schema of a Standard Schema, if its library can produce one.
import * as z from 'zod'
import type { Json } from '../../model/record.ts'
import type { StandardSchema } from '../../model/standard-schema.ts'

type JsonSchema = { [key: string]: Json }

/** The Standard JSON Schema interface of newer libraries. */
interface Describing {
  jsonSchema?: Record<'input' | 'output', (options: { target: string }) => JsonSchema>
}

/** Null if the library cannot produce a JSON Schema. */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonSchema | null {
  const standard: StandardSchema['~standard'] & Describing = schema['~standard']
  try {
    if (standard.vendor === 'zod') return zodSchemaOf(schema, side)
    return withoutDialect(standard.jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? null)
  } catch {
    return null
  }
}

/** Transformations have no JSON Schema, so they become "any". The rest is converted. */
const zodSchemaOf = (schema: StandardSchema, side: 'input' | 'output'): JsonSchema | null =>
  withoutDialect(
    z.toJSONSchema(schema as unknown as z.ZodType, { io: side, unrepresentable: 'any' }) as JsonSchema,
  )

function withoutDialect(described: JsonSchema | null): JsonSchema | null {
  if (described === null) return null
  const { $schema: _, ...rest } = described
  return rest
}
