// Differences between expected and actual records, by field.

import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'

export interface Difference {
  /** A path such as `[1].offers.price`; empty for the whole value. */
  path: string
  expected?: Json
  actual?: Json
}

/** The differences between two values; empty if they are equal. The order of an object's keys does not matter. */
export function differences(expected: Json, actual: Json, path = ''): Difference[] {
  if (isDeepStrictEqual(expected, actual)) return []
  if (Array.isArray(expected) && Array.isArray(actual)) return listDifferences(expected, actual, path)
  if (isObject(expected) && isObject(actual)) return objectDifferences(expected, actual, path)
  return [{ path, expected, actual }]
}

function listDifferences(expected: Json[], actual: Json[], path: string): Difference[] {
  const length = Math.max(expected.length, actual.length)
  return Array.from({ length }, (_, index) => index).flatMap(index =>
    between(expected[index], actual[index], `${path}[${index}]`),
  )
}

function objectDifferences(expected: JsonObject, actual: JsonObject, path: string): Difference[] {
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
  return [...keys].flatMap(key => between(expected[key], actual[key], path ? `${path}.${key}` : key))
}

/** The differences between two values. A value that only one side has counts as one difference. */
function between(expected: Json | undefined, actual: Json | undefined, path: string): Difference[] {
  if (expected !== undefined && actual !== undefined) return differences(expected, actual, path)
  return [{ path, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) }]
}
