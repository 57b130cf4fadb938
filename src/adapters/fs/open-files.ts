// A cache of open files for range reads.
import { type FileHandle, open } from 'node:fs/promises'

interface OpenFile {
  handle: Promise<FileHandle>
  readers: number
}

export class OpenFiles implements AsyncDisposable {
  readonly #limit: number
  /** Open files, least recently used first. */
  readonly #files = new Map<string, OpenFile>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Runs `work` with the open file. The file stays open until `work` has ended. */
  async use<Result>(path: string, work: (handle: FileHandle) => Promise<Result>): Promise<Result> {
    const file = this.#files.get(path) ?? { handle: open(path, 'r'), readers: 0 }
    this.#files.delete(path)
    this.#files.set(path, file)
    file.readers += 1
    try {
      return await work(await file.handle)
    } catch (error) {
      if (this.#files.get(path) === file) this.#files.delete(path)
      throw error
    } finally {
      file.readers -= 1
      if (this.#files.get(path) !== file) await closeUnused(file)
      await this.#closeOldest()
    }
  }

  async forget(path: string): Promise<void> {
    const file = this.#files.get(path)
    this.#files.delete(path)
    if (file) await closeUnused(file)
  }

  async #closeOldest(): Promise<void> {
    for (const [path, file] of this.#files) {
      if (this.#files.size <= this.#limit) return
      if (file.readers === 0) await this.forget(path)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#files.keys()].map(path => this.forget(path)))
  }
}

/** Closes a file that is no longer cached when its last reader is done. */
async function closeUnused(file: OpenFile): Promise<void> {
  if (file.readers > 0) return
  const handle = await file.handle.catch(() => null)
  await handle?.close()
}
