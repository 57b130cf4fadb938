// Keys of blobs: what every backend takes for one.
import { Failure } from '../model/failures.ts'

const maxKeyLength = 1_024

/** Refuses whatever could lead elsewhere, or is not a name everywhere. */
export function requireKey(key: string): string {
  if (key.length <= maxKeyLength && !/[\\\0]/.test(key) && key.split('/').every(isName)) return key
  throw new Failure(
    'input.invalid',
    `${JSON.stringify(key)} is not a key: names joined by "/", none of them empty, "." or ".."`,
    { key },
  )
}

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !isTemporary(name)

/** The mark of a file that is not finished, or never will be: no key may end so. */
export const temporarySuffix = '.kscrape-tmp'
export const isTemporary = (name: string): boolean => name.endsWith(temporarySuffix)
