// Keys of blobs as paths below a root, and nowhere else.
import { mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Failure } from '../../model/failures.ts'

const maxKeyLength = 1_024

/** The path of a key. Refuses whatever could leave the root, is not a name everywhere, or is ours (a file in the making). */
export function pathOf(root: string, key: string): string {
  if (!isKey(key))
    throw new Failure(
      'input.invalid',
      `${JSON.stringify(key)} is not a key: names joined by "/", none of them empty, "." or ".."`,
      { key },
    )
  return join(root, ...key.split('/'))
}

const isKey = (key: string): boolean =>
  key.length <= maxKeyLength && !/[\\\0]/.test(key) && key.split('/').every(isName)

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !isTemporary(name)

const temporarySuffix = '.kscrape-tmp'
/** Whether a file is one that `put` has not finished, or never will. */
export const isTemporary = (name: string): boolean => name.endsWith(temporarySuffix)
export const temporaryPath = (path: string): string =>
  `${path}.${process.pid}-${Math.random().toString(36).slice(2)}${temporarySuffix}`

/** A symbolic link inside the root must not lead out of it. */
export async function requireInside(root: string, path: string): Promise<void> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path)])
  if (real === realRoot || real.startsWith(realRoot + sep)) return
  throw new Failure('input.invalid', `${path} leads out of ${root}`, { path })
}

/** Makes the directory of a path, durably: a file is only as safe as the entries that lead to it. */
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
