// Validates a large input against a schema, without collecting an error for each of its entries.
import type * as z from 'zod'

/** Number of entries of each long list that are checked first. For a long object, the first `longList` entries are
 *  checked. */
const sampleSize = 100
/** Lists and objects with at most this many entries are checked as a whole. */
const longList = 1_000

/** Like `safeParse`. If the first entries of long lists are invalid, reports only their errors and does not check the
 *  rest. */
export function checkInParts<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  if (isLong(value)) {
    const sampled = schema.safeParse(cut(value, 0))
    if (!sampled.success) return sampled
  }
  return schema.safeParse(value)
}

function isLong(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > deepest) return false
  const entries = Array.isArray(value) ? value : Object.values(value)
  return entries.length > longList || entries.slice(0, sampleSize).some(entry => isLong(entry, depth + 1))
}

const deepest = 8

function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) return value.slice(0, sampleSize).map(entry => cut(entry, depth + 1))
  const entries = Object.entries(value).slice(0, longList)
  return Object.fromEntries(entries.map(([key, entry]) => [key, cut(entry, depth + 1)]))
}
