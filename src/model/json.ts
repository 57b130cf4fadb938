// JSON objects: their type, and the check for them.
import type { Json } from './record.ts'

export type JsonObject = { [key: string]: Json }

/** Whether the value is an object, and neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown>
export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text. Undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object or array of a JSON text. Empty if the text is something else. */
export function objectIn(text: string): object {
  const value = jsonIn(text)
  return typeof value === 'object' && value !== null ? value : {}
}
