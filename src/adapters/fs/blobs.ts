// Blobs on the file system: one file per key below a root folder. Segments are files that grow by appending.
import { open, readdir, readFile, rename, rm, rmdir, stat, statfs, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isTemporary, requireFolder } from '../../lib/blob-keys.ts'
import { Failure } from '../../model/failures.ts'
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { asFileFailure, isMissing, onFile } from './failures.ts'
import { makeDirectoryOf, pathOf, requireInside, syncDirectory, temporaryPath } from './keys.ts'
import { listKeys } from './list-keys.ts'
import { OpenFiles } from './open-files.ts'
import { SegmentWriter } from './segments.ts'

/** Maximum number of files that are open for reading. The same maximum applies to segments that are open for writing. Both
 *  fit into a limit of 256 open files per process. */
const openLimit = 32
const readBytes = 256 * 1_024

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

interface FileBlobsOptions {
  segmentBytes?: number
  segmentSuffix?: string
}

export async function openFileBlobs(root: string, options: FileBlobsOptions = {}): Promise<Blobs> {
  await onFile(root, () => makeDirectoryOf(dirname(root), `${root}/any`))
  return new FileBlobs(root, options)
}

class FileBlobs implements Blobs {
  readonly #root: string
  readonly #segmentOptions: { root: string; segmentBytes: number; suffix: string }
  readonly #files = new OpenFiles(openLimit)
  /** Open segments, least recently used first. */
  readonly #segments = new Map<string, SegmentWriter>()

  constructor(root: string, options: FileBlobsOptions) {
    const { segmentBytes = 256 * 1_024 * 1_024, segmentSuffix = '.warc.zst' } = options
    this.#root = root
    this.#segmentOptions = { root, segmentBytes, suffix: segmentSuffix }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.putStream(key, [bytes])
  }

  async putStream(key: string, chunks: Chunks): Promise<void> {
    const path = pathOf(this.#root, key)
    await onFile(path, async () => {
      await makeDirectoryOf(this.#root, path)
      await replaceFile(path, chunks)
      await this.#files.forget(path)
    })
  }

  async append(name: string, bytes: Uint8Array): Promise<BlobRef> {
    pathOf(this.#root, name)
    const writer = this.#segments.get(name) ?? new SegmentWriter(name, this.#segmentOptions)
    this.#segments.delete(name)
    this.#segments.set(name, writer)
    const ref = await writer.append(bytes)
    await this.#restOldestSegments()
    return ref
  }

  /** Changes the file in place. A segment writer may have the file open, so the file must not be replaced. */
  async overwrite(key: string, pieces: ReadonlyArray<{ offset: number; bytes: Uint8Array }>): Promise<void> {
    const path = pathOf(this.#root, key)
    await onFile(path, async () => {
      await requireInside(this.#root, path)
      await using file = await open(path, 'r+')
      for (const { offset, bytes } of pieces) await file.write(bytes, 0, bytes.length, offset)
      await file.datasync()
    })
  }

  async move(from: string, to: string): Promise<void> {
    const [path, target] = [pathOf(this.#root, from), pathOf(this.#root, to)]
    await onFile(path, async () => {
      await requireInside(this.#root, path)
      await makeDirectoryOf(this.#root, target)
      await rename(path, target)
      await syncDirectory(dirname(target))
    })
  }

  async get(key: string): Promise<Buffer | null> {
    const path = pathOf(this.#root, key)
    try {
      await requireInside(this.#root, path)
      return await readFile(path)
    } catch (error) {
      if (isMissing(error)) return null
      throw asFileFailure(error, path)
    }
  }

  async *openRead(key: string): AsyncGenerator<Buffer> {
    const path = pathOf(this.#root, key)
    try {
      await requireInside(this.#root, path)
      await using file = await open(path)
      // Reads the opened file to its end, even if the key is replaced meanwhile.
      for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: readBytes }))
        yield chunk as Buffer
    } catch (error) {
      throw asFileFailure(error, path)
    }
  }

  async size(key: string): Promise<number | null> {
    const path = pathOf(this.#root, key)
    try {
      return (await stat(path)).size
    } catch (error) {
      if (isMissing(error)) return null
      throw asFileFailure(error, path)
    }
  }

  async read({ key, offset, length }: BlobRef): Promise<Buffer> {
    const path = pathOf(this.#root, key)
    return onFile(path, async () => {
      const buffer = Buffer.allocUnsafe(length)
      const got = await this.#files.use(path, async handle => {
        await requireInside(this.#root, path)
        return (await handle.read(buffer, 0, length, offset)).bytesRead
      })
      if (got === length) return buffer
      const message = `${path} ends before ${offset + length} bytes: it was truncated, or the reference belongs to another file`
      throw new Failure('storage.failed', message, { key, offset, length })
    })
  }

  list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedAt: number }> {
    return listKeys(this.#root, prefix)
  }

  async delete(keys: string[]): Promise<void> {
    for (const key of keys) {
      const path = pathOf(this.#root, key)
      await this.#files.forget(path)
      await unlink(path).catch(error => {
        if (!isMissing(error)) throw asFileFailure(error, path)
      })
    }
    const paths = keys.map(key => pathOf(this.#root, key))
    await removeLeftovers(paths)
    await this.#removeEmptied(new Set(paths.map(path => dirname(path))))
  }

  async deleteBelow(prefix: string): Promise<void> {
    const folder = pathOf(this.#root, requireFolder(prefix).slice(0, -1))
    for await (const { key } of this.list(prefix)) await this.#files.forget(pathOf(this.#root, key))
    await onFile(folder, () => rm(folder, { recursive: true, force: true }))
    await this.#removeEmptied([dirname(folder)])
  }

  /** Deletes empty folders of a job or an upload. Folders that several jobs share stay. */
  async #removeEmptied(directories: Iterable<string>): Promise<void> {
    for (const directory of directories)
      for (let empty = directory; dirname(dirname(empty)).startsWith(this.#root); empty = dirname(empty))
        if (!(await isRemoved(empty))) break
  }

  /** Null, because files on a local disk have no public URLs. */
  async signedPut(key: string): Promise<null> {
    pathOf(this.#root, key)
    return null
  }

  async signedGet(key: string): Promise<null> {
    pathOf(this.#root, key)
    return null
  }

  async free(): Promise<number> {
    const { bavail, bsize } = await onFile(this.#root, () => statfs(this.#root))
    return bavail * bsize
  }

  async #restOldestSegments(): Promise<void> {
    const open = [...this.#segments.values()].filter(writer => writer.holdsFile)
    const tooMany = Math.max(0, open.length - openLimit)
    await Promise.all(open.slice(0, tooMany).map(writer => writer.rest()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#segments.values()].map(writer => writer[Symbol.asyncDispose]()))
    this.#segments.clear()
    await this.#files[Symbol.asyncDispose]()
  }
}

// Writes a temporary file and renames it, so that a reader sees either the old or the new bytes.
async function replaceFile(path: string, chunks: Chunks): Promise<void> {
  const temporary = temporaryPath(path)
  try {
    await writeDurably(temporary, chunks)
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
  await syncDirectory(dirname(path))
}

async function writeDurably(path: string, chunks: Chunks): Promise<void> {
  await using file = await open(path, 'wx')
  for await (const chunk of chunks) await file.writeFile(chunk)
  await file.sync()
}

const isRemoved = (directory: string): Promise<boolean> =>
  rmdir(directory).then(
    () => true,
    error => isMissing(error),
  )

/** Deletes temporary files that killed processes left beside these paths. Reads each folder once. */
async function removeLeftovers(paths: string[]): Promise<void> {
  for (const [directory, inside] of Map.groupBy(paths, dirname)) {
    const names = new Set(inside.map(path => basename(path)))
    for (const entry of await readdir(directory).catch(() => [])) {
      const isLeft = isTemporary(entry) && names.has(entry.replace(/\.[^.]+\.[^.]+$/, ''))
      if (isLeft) await unlink(join(directory, entry)).catch(() => {})
    }
  }
}
