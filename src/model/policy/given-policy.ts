// Partial policies as users write them: their schema, and how one policy is merged over another.

import * as z from 'zod'
import { isObject } from '../json.ts'

/** The same schema with all fields optional and without defaults, so that only given values are set. */
export function asGiven<Schema extends z.core.$ZodType>(
  schema: Schema,
): z.ZodType<z.input<Schema>, z.input<Schema>> {
  return withoutDefaults(schema) as z.ZodType<z.input<Schema>, z.input<Schema>>
}

function withoutDefaults(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return z.optional(withoutDefaults(schema.unwrap()))
  if (!(schema instanceof z.ZodObject)) return schema
  const fields = Object.entries(schema.shape as z.core.$ZodShape)
  return z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, withoutDefaults(field)])))
}

/** Objects that a higher layer replaces as a whole. The fields of other objects are merged. */
const wholes: ReadonlySet<string> = new Set(['hours'])

/** Merges two policies field by field. Values of `above` win. */
export function laidOver<Fields extends object>(below: Fields, above: Fields): Fields {
  const merged = { ...below }
  for (const [name, value] of Object.entries(above) as Array<
    [keyof Fields & string, Fields[keyof Fields & string]]
  >) {
    const beneath = merged[name]
    if (isPart(name, value) && isPart(name, beneath)) merged[name] = laidOver(beneath, value)
    else if (value !== undefined) merged[name] = value
  }
  return merged
}

/** Every value of a policy with its path, like `retries.attempts`. */
export function leavesOf(policy: object, path = ''): Array<[path: string, value: unknown]> {
  return Object.entries(policy).flatMap(([name, value]): Array<[string, unknown]> => {
    if (value === undefined) return []
    return isPart(name, value) ? leavesOf(value, `${path}${name}.`) : [[`${path}${name}`, value]]
  })
}

export function valueAt(policy: object, path: string): unknown {
  let value: unknown = policy
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name]
  return value
}

export function withValue<Policy extends object>(policy: Policy, path: string, value: unknown): Policy {
  const [part = '', ...rest] = path.split('.')
  const inside = (policy as Record<string, object | undefined>)[part]
  return { ...policy, [part]: rest.length === 0 ? value : withValue(inside ?? {}, rest.join('.'), value) }
}

const isPart = (name: string, value: unknown): value is object => isObject(value) && !wholes.has(name)
