// Reads stored JSON objects. Other programs can write to the same bucket, so such an object may be damaged.
import { Failure } from '../model/failures.ts'

/** Throws `storage.failed` if the object is damaged, so that the caller gets 503 and the name of the object. */
export function storedJson<Value>(
  bytes: Buffer,
  key: string,
  isValid: (value: unknown) => boolean = isObject,
): Value {
  const value = parsed(bytes)
  if (isValid(value)) return value as Value
  throw new Failure('storage.failed', `${key} is damaged; restore or delete it`, { key })
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined if the text is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return
  }
}
