// Reads a text file that a user named, with an error that names it.
import { readFileSync } from 'node:fs'
import { Failure } from '../../model/failures.ts'

export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${path} can't be read: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
}
