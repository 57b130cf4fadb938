// The stream entry of a message.

export const bodyField = 'body'
/** Marks messages whose group was lost. */
export const againField = 'again'

/** Undefined if it is not our message. */
export function bodyOf(fields: Record<string, string>): unknown {
  try {
    return JSON.parse(fields[bodyField] ?? '')
  } catch {
    return undefined
  }
}
