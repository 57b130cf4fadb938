// Keys of blobs, valid for every backend.
import { Failure } from '../model/failures.ts'

const maxKeyLength = 1_024

/** Refuses keys that could escape, or that are not valid names everywhere. */
export function requireKey(key: string): string {
  if (key.length <= maxKeyLength && !/[\\\0]/.test(key) && key.split('/').every(isName)) return key
  throw new Failure(
    'input.invalid',
    `${JSON.stringify(key)} is not a key: names joined by "/", none of them empty, "." or ".."`,
    { key },
  )
}

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !isTemporary(name)

/** Suffix of unfinished files; no key may end with it. */
export const temporarySuffix = '.kscrape-tmp'
export const isTemporary = (name: string): boolean => name.endsWith(temporarySuffix)
