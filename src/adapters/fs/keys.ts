// Maps blob keys to paths below a root.
import { mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { requireKey, temporarySuffix } from '../../lib/blob-keys.ts'
import { Failure } from '../../model/failures.ts'

/** The path of a key. Refuses keys that leave the root. */
export const pathOf = (root: string, key: string): string => join(root, ...requireKey(key).split('/'))

export const temporaryPath = (path: string): string =>
  `${path}.${process.pid}-${Math.random().toString(36).slice(2)}${temporarySuffix}`

/** A symbolic link must not leave the root. */
export async function requireInside(root: string, path: string): Promise<void> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path)])
  if (real === realRoot || real.startsWith(realRoot + sep)) return
  throw new Failure('input.invalid', `${path} leads out of ${root}`, { path })
}

/** Creates the directory of a path durably, because a file is only as safe as its directory entries. */
export async function makeDirectoryOf(root: string, path: string): Promise<void> {
  const directory = dirname(path)
  const firstMade = await mkdir(directory, { recursive: true })
  await requireInside(root, directory)
  if (firstMade === undefined) return
  for (let made = directory; made.length >= firstMade.length; made = dirname(made))
    await syncDirectory(dirname(made))
}

/** A rename or a new file is durable once its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r')
  await directory.sync()
}
