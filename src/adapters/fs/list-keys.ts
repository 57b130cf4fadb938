// Lists the keys below a prefix in order. Only one folder per level is in memory.
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isTemporary } from '../../lib/blob-keys.ts'
import { asFileFailure, isMissing } from './failures.ts'

interface ListedKey {
  key: string
  bytes: number
  modifiedAt: number
}

export async function* listKeys(root: string, prefix: string): AsyncGenerator<ListedKey> {
  const slash = prefix.lastIndexOf('/')
  yield* walk(root, prefix.slice(0, slash + 1), prefix)
}

async function* walk(root: string, above: string, prefix: string): AsyncGenerator<ListedKey> {
  for (const { key, isDirectory } of await entriesOf(root, above)) {
    if (!key.startsWith(prefix) && !prefix.startsWith(key)) continue
    if (isDirectory) yield* walk(root, key, prefix)
    else if (key.startsWith(prefix)) yield* describe(root, key)
  }
}

/** The entries of a folder. The key of a subfolder ends in "/", so that sorting the entries sorts all keys. */
async function entriesOf(root: string, above: string): Promise<Array<{ key: string; isDirectory: boolean }>> {
  const path = join(root, above)
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter(isListed)
      .map(entry => ({
        key: above + entry.name + (entry.isDirectory() ? '/' : ''),
        isDirectory: entry.isDirectory(),
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
  } catch (error) {
    if (isMissing(error)) return []
    throw asFileFailure(error, path)
  }
}

const isListed = (entry: Dirent): boolean =>
  entry.isDirectory() || (entry.isFile() && !isTemporary(entry.name))

// Yields nothing if the file was deleted since the folder was read.
async function* describe(root: string, key: string): AsyncGenerator<ListedKey> {
  const path = join(root, key)
  try {
    const { size, mtimeMs } = await stat(path)
    yield { key, bytes: size, modifiedAt: Math.round(mtimeMs) }
  } catch (error) {
    if (!isMissing(error)) throw asFileFailure(error, path)
  }
}
