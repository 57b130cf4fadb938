// A file with a key. The first process that needs the key creates the file. No process ever sees a partial file.
import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import { Failure } from '../../model/failures.ts'

export const keyBytes = 32

/** Creates the file if it does not exist. Writes a temporary file first, because other processes may read it at the
 *  same moment. */
export function makeKeyFile(path: string): void {
  const aside = `${path}.${randomUUID()}`
  try {
    writeAside(aside, randomBytes(keyBytes))
    linkSync(aside, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new Failure(
      'storage.failed',
      `${path} could not be created: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  } finally {
    rmSync(aside, { force: true })
  }
}

function writeAside(path: string, key: Buffer): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, key)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
