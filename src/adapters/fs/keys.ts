// Maps blob keys to paths below a root.
import { mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { requireKey, temporarySuffix } from '../../lib/blob-keys.ts'
import { Failure } from '../../model/failures.ts'

/** The path of a key. Refuses keys that leave the root. */
export const pathOf = (root: string, key: string): string => join(root, ...requireKey(key).split('/'))

export const temporaryPath = (path: string): string =>
  `${path}.${process.pid}-${Math.random().toString(36).slice(2)}${temporarySuffix}`

/** Refuses a symbolic link that leads out of the root folder. */
export async function requireInside(root: string, path: string): Promise<void> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path)])
  if (real === realRoot || real.startsWith(realRoot + sep)) return
  throw new Failure('input.invalid', `${path} leads out of ${root}`, { path })
}

/** Creates the folder of a path and syncs it: a file is durable only if its folder entries are. */
export async function makeDirectoryOf(root: string, path: string): Promise<void> {
  const directory = dirname(path)
  const firstMade = await mkdir(directory, { recursive: true })
  await requireInside(root, directory)
  if (firstMade === undefined) return
  for (let made = directory; made.length >= firstMade.length; made = dirname(made))
    await syncDirectory(dirname(made))
}

/** Syncs a folder, which makes new and renamed files in it durable. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r')
  await directory.sync()
}
