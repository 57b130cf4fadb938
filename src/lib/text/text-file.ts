// Reads a text file that a user named. The error names the file, the reason and files with similar names.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { suggest } from './suggest.ts'

export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw unreadableFile(path, cause)
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
}

export function unreadableFile(path: string, cause: unknown): Failure {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const similar = code === 'ENOENT' ? similarFile(path) : null
  const meant = similar ? ` (did you mean "${similar}"?)` : ''
  return new Failure(
    'input.invalid',
    `${path} can't be read: ${reasons[code] ?? message}${meant}`,
    { path },
    { cause },
  )
}

/** Maximum number of entries of a folder that is searched for similar names. A folder with more is a data folder, and
 *  reading it takes too long. */
const mostEntries = 10_000

function similarFile(path: string): string | null {
  try {
    const names = readdirSync(dirname(path))
    const found = names.length <= mostEntries ? suggest(basename(path), names) : null
    return found === null ? null : dirname(path) === '.' ? found : join(dirname(path), found)
  } catch {
    return null
  }
}
