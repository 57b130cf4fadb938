// A message as an entry of a stream holds it.

export const bodyField = 'body'
/** Of those whose group was lost. */
export const againField = 'again'

/** Undefined where it is no message of ours. */
export function bodyOf(fields: Record<string, string>): unknown {
  try {
    return JSON.parse(fields[bodyField] ?? '')
  } catch {
    return undefined
  }
}
