// Segments: append-only files that roll over at a size. Concurrent appends share one sync.
import { type FileHandle, open, readdir, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { BlobRef } from '../../model/page/page.ts'
import { isMissing, onFile } from './failures.ts'
import { makeDirectoryOf, pathOf, syncDirectory } from './keys.ts'

interface SegmentOptions {
  root: string
  /** Size in bytes at which a segment is closed and the next one starts. */
  segmentBytes: number
  /** The end of a segment's key, after its number. */
  suffix: string
}

interface Waiting {
  bytes: Uint8Array
  resolve: (ref: BlobRef) => void
  reject: (error: unknown) => void
}

interface Segment {
  key: string
  path: string
  /** The open file; null between appends if the file was closed to save open files. */
  handle: FileHandle | null
  /** Number of bytes of the file that are durable. */
  bytes: number
}
type OpenSegment = Segment & { handle: FileHandle }

/** Writes the segments of one name. Only the process that created a file appends to it. If a process is killed, its last
 *  write may be incomplete. No data follows an incomplete write, and no reference points to it. */
export class SegmentWriter implements AsyncDisposable {
  readonly #options: SegmentOptions
  readonly #name: string
  #segment: Segment | null = null
  #waiting: Waiting[] = []
  #draining: Promise<void> | null = null

  constructor(name: string, options: SegmentOptions) {
    this.#name = name
    this.#options = options
  }

  get holdsFile(): boolean {
    return Boolean(this.#segment?.handle)
  }

  append(bytes: Uint8Array): Promise<BlobRef> {
    const { promise, resolve, reject } = Promise.withResolvers<BlobRef>()
    this.#waiting.push({ bytes, resolve, reject })
    this.#draining ??= this.#drain()
    return promise
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0)
      try {
        await this.#write(group)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#draining = null
  }

  async #write(group: Waiting[]): Promise<void> {
    const segment = await this.#current()
    try {
      await onFile(segment.path, () => writeAll(segment, group))
    } catch (error) {
      await this.#abandon(segment)
      throw error
    }
    for (const { bytes, resolve } of group) {
      resolve({ key: segment.key, offset: segment.bytes, length: bytes.length })
      segment.bytes += bytes.length
    }
  }

  async #current(): Promise<OpenSegment> {
    const { segmentBytes } = this.#options
    if (this.#segment && this.#segment.bytes < segmentBytes) return reopened(this.#segment)
    await this.#segment?.handle?.close()
    this.#segment = null
    const next = await this.#next()
    this.#segment = next
    return next
  }

  async #next(): Promise<OpenSegment> {
    const { root, suffix } = this.#options
    const firstPath = pathOf(root, `${this.#name}-000001${suffix}`)
    return onFile(firstPath, async () => {
      await makeDirectoryOf(root, firstPath)
      const last = await lastNumber(dirname(firstPath), basename(this.#name), suffix)
      return this.#create(last + 1)
    })
  }

  async #create(number: number): Promise<OpenSegment> {
    const { root, suffix } = this.#options
    const key = `${this.#name}-${String(number).padStart(6, '0')}${suffix}`
    const path = pathOf(root, key)
    const handle = await open(path, 'wx').catch(error => {
      if (error.code === 'EEXIST') return null
      throw error
    })
    // Another process has just created the segment with this number, so try the next number.
    if (!handle) return this.#create(number + 1)
    await syncDirectory(dirname(path))
    return { key, path, handle, bytes: 0 }
  }

  // After a failed write or sync, the end of the file is unknown, so the segment gets no more data. The file is truncated to its
  // durable bytes, because the disk may be full.
  async #abandon(segment: OpenSegment): Promise<void> {
    this.#segment = null
    await segment.handle.truncate(segment.bytes).catch(() => {})
    await segment.handle.close().catch(() => {})
    if (segment.bytes === 0) await unlink(segment.path).catch(() => {})
  }

  /** Closes the file between two appends, to save open files. Does nothing during an append. */
  async rest(): Promise<void> {
    const segment = this.#segment
    if (this.#draining || !segment?.handle) return
    const { handle } = segment
    segment.handle = null
    await handle.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#draining
    await this.rest()
  }
}

async function reopened(segment: Segment): Promise<OpenSegment> {
  segment.handle ??= await onFile(segment.path, () => open(segment.path, 'r+'))
  return segment as OpenSegment
}

async function writeAll(segment: OpenSegment, group: Waiting[]): Promise<void> {
  const total = group.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const { bytesWritten } = await segment.handle.writev(
    group.map(({ bytes }) => bytes),
    segment.bytes,
  )
  // The disk is nearly full, so not all bytes were written. Writing the rest reports the error.
  if (bytesWritten < total) {
    const rest = Buffer.concat(group.map(({ bytes }) => bytes)).subarray(bytesWritten)
    await writeWhole(segment.handle, rest, segment.bytes + bytesWritten)
  }
  await segment.handle.datasync()
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written)
    written += result.bytesWritten
  }
}

async function lastNumber(directory: string, name: string, suffix: string): Promise<number> {
  const names = await readdir(directory).catch(error => {
    if (isMissing(error)) return []
    throw error
  })
  const numbers = names
    .filter(file => file.startsWith(`${name}-`) && file.endsWith(suffix))
    .map(file => file.slice(name.length + 1, file.length - suffix.length))
    .filter(text => /^\d{6,}$/.test(text))
  return numbers.reduce((last, text) => Math.max(last, Number(text)), 0)
}
