// Refuses the key "__proto__" in input, because schemas and assignments drop it silently.
import { Failure } from '../../model/failures.ts'

export const reservedKeyText = 'JavaScript reserves this name; choose another one'

/** The path of the first "__proto__" key in JSON or YAML data; null if there is none. */
export function protoKeyIn(value: unknown): string[] | null {
  const open: Array<{ value: unknown; path: string[] }> = [{ value, path: [] }]
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [key, inner] of Object.entries(next.value)) {
      if (key === '__proto__') return [...next.path, key]
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, path: [...next.path, key] })
    }
  }
  return null
}

export function reservedKey(path: readonly string[]): Failure {
  const name = path.join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]')
  return new Failure('input.invalid', `${name}: ${reservedKeyText}`, { path: name })
}
