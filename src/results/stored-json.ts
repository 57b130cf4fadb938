// Reads stored JSON objects. Other programs can write to the same bucket, so such an object may be damaged.

import { Failure } from '../model/failures.ts'
import { isObject, jsonIn } from '../model/json.ts'

/** Throws `storage.failed` if the object is damaged, so that the caller gets 503 and the name of the object. */
export function storedJson<Value>(
  bytes: Buffer,
  key: string,
  isValid: (value: unknown) => boolean = isObject,
): Value {
  const value = jsonIn(bytes.toString())
  if (isValid(value)) return value as Value
  throw new Failure('storage.failed', `${key} is damaged; restore or delete it`, { key })
}
