// Converts keys between snake_case (API, files) and camelCase (code).

export const camel = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
export const snake = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Objects under these keys are data of callers or pages. Their own keys are not converted. */
export const callersOwn: ReadonlySet<string> = new Set([
  'headers',
  'labels',
  'input',
  'fields',
  'data',
  'properties',
  'attributes',
  'provenance',
  // Counters whose keys are values, like `in_progress`.
  'by_state',
  'by_reason',
  'links_refused',
  'warnings',
])

/** No valid body nests deeper. Deeper values are not converted, and the schema refuses them. */
const deepest = 200

/** Converts the keys of plain objects recursively, except below `callersOwn`. */
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
