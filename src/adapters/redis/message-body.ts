// The fields of a stream entry.

export const bodyField = 'body'
/** Marks messages that are delivered again because the consumer group was lost. */
export const againField = 'again'

/** The message of an entry; undefined if another program wrote the entry. */
export function bodyOf(fields: Record<string, string>): unknown {
  try {
    return JSON.parse(fields[bodyField] ?? '')
  } catch {
    return undefined
  }
}
