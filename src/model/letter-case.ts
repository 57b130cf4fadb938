// snake_case outside, camelCase inside: the one mapping at the edge.

export const camel = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
export const snake = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Below these keys the words are the caller's own and stay as they are. */
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

/** What is nested deeper is nothing of ours: it stays as it is, for the schema to refuse. */
const deepest = 200

/** Maps the keys of plain objects all the way down, the caller's own words excepted. */
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
