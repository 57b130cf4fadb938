// snake_case outside, camelCase inside: the mapping at the edge.

export const camel = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
export const snake = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Keys below these belong to the caller and are not converted. */
export const callersOwn: ReadonlySet<string> = new Set([
  'headers',
  'labels',
  'input',
  'fields',
  'data',
  'properties',
  'attributes',
  'provenance',
  // Counts by words that are values, like `in_progress`.
  'by_state',
  'by_reason',
  'links_refused',
  'warnings',
])

/** Deeper values are not ours: they stay unchanged for the schema to refuse. */
const deepest = 200

/** Converts the keys of plain objects recursively, except the caller's own. */
export function mapKeys(value: unknown, rename: (key: string) => string, depth = 0): unknown {
  if (Array.isArray(value)) return value.map(entry => mapKeys(entry, rename, depth + 1))
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      rename(key),
      callersOwn.has(key) ? entry : mapKeys(entry, rename, depth + 1),
    ]),
  )
}
