// Checks that blob keys are valid for every backend.
import { Failure } from '../model/failures.ts'

const maxKeyLength = 1_024

/** Refuses keys that could leave their folder, or that are not valid names on every backend. */
export function requireKey(key: string): string {
  if (key.length <= maxKeyLength && !/[\\\0]/.test(key) && key.split('/').every(isName)) return key
  throw new Failure(
    'input.invalid',
    `${JSON.stringify(key)} is not a key: names joined by "/", none of them empty, "." or ".."`,
    { key },
  )
}

/** Refuses prefixes that are not a whole folder, such as `jobs/a`, which is also the start of `jobs/ab`. */
export function requireFolder(prefix: string): string {
  if (prefix.endsWith('/')) return `${requireKey(prefix.slice(0, -1))}/`
  throw new Failure('input.invalid', `${JSON.stringify(prefix)} is not a folder: it must end with "/"`, {
    prefix,
  })
}

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !isTemporary(name)

/** Suffix of unfinished files. No key may end with it. */
export const temporarySuffix = '.kscrape-tmp'
export const isTemporary = (name: string): boolean => name.endsWith(temporarySuffix)
