// Reads a ZIP archive through its directory, in ranges, because archives can be larger than memory.
import type { FileHandle } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { Failure } from '../../model/failures.ts'

export interface ZipEntry {
  name: string
  /** Compression method: 0 is stored, 8 is deflated. */
  method: number
  /** Size in the archive. */
  bytes: number
  plainBytes: number
  /** Offset of the local header. */
  at: number
}

const endMark = 0x06054b50
const far64Mark = 0x07064b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
/** Size of the end record with the longest possible comment. */
const tailBytes = 65_557
const chunkBytes = 1_048_576
const full = 0xffffffff
/** Maximum size of a decompressed file or record. Even the index of a million pages is smaller. */
const usualMostBytes = 512 * 1024 * 1024

export class ZipReader {
  readonly #file: FileHandle
  readonly entries: Map<string, ZipEntry>
  /** Maximum size of a decompressed entry in bytes. */
  readonly mostBytes: number

  private constructor(file: FileHandle, entries: Map<string, ZipEntry>, mostBytes: number) {
    this.#file = file
    this.entries = entries
    this.mostBytes = mostBytes
  }

  static async open(file: FileHandle, mostBytes = usualMostBytes): Promise<ZipReader> {
    const { size } = await file.stat()
    const tail = await readAt(file, Math.max(0, size - tailBytes), Math.min(size, tailBytes))
    const end = tail.lastIndexOf(Buffer.from('PK\x05\x06'))
    if (end < 0 || tail.readUInt32LE(end) !== endMark) throw damaged('it has no directory')
    const { start, length } = await directoryPlace(file, tail, end)
    return new ZipReader(file, entriesIn(await readAt(file, start, length)), mostBytes)
  }

  /** Offset at which the data of an entry begins. */
  async #dataAt({ at, name }: ZipEntry): Promise<number> {
    const head = await readAt(this.#file, at, 30)
    if (head.readUInt32LE(0) !== localMark) throw damaged(`${name} is not at its offset in the directory`)
    return at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  }

  async read(entry: ZipEntry): Promise<Buffer> {
    const bytes = await readAt(this.#file, await this.#dataAt(entry), entry.bytes)
    return entry.method === 0 ? bytes : inflated(entry.name, bytes, this.mostBytes)
  }

  /** The data of an entry. If the entry is not compressed, it is read in chunks. */
  async *chunks(entry: ZipEntry): AsyncGenerator<Buffer> {
    if (entry.method !== 0) return yield await this.read(entry)
    const start = await this.#dataAt(entry)
    for (let at = 0; at < entry.bytes; at += chunkBytes)
      yield await readAt(this.#file, start + at, Math.min(chunkBytes, entry.bytes - at))
  }
}

async function directoryPlace(
  file: FileHandle,
  tail: Buffer,
  end: number,
): Promise<{ start: number; length: number }> {
  const start = tail.readUInt32LE(end + 16)
  const isFar = end >= 20 && tail.readUInt32LE(end - 20) === far64Mark
  if (!isFar) return { start, length: tail.readUInt32LE(end + 12) }
  const far = await readAt(file, Number(tail.readBigUInt64LE(end - 12)), 56)
  return { start: Number(far.readBigUInt64LE(48)), length: Number(far.readBigUInt64LE(40)) }
}

function entriesIn(directory: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entryMark) throw damaged('its directory is broken')
    const [nameBytes, moreBytes, noteBytes] = [28, 30, 32].map(place => directory.readUInt16LE(at + place))
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes!)
    if (entries.has(name)) throw damaged(`it has ${name} twice`)
    const sizes = [24, 20, 42].map(place => directory.readUInt32LE(at + place))
    const more = directory.subarray(at + 46 + nameBytes!, at + 46 + nameBytes! + moreBytes!)
    const [plainBytes, bytes, place] = withFarSizes(sizes, more)
    entries.set(name, {
      ...{ name, bytes: bytes!, plainBytes: plainBytes!, at: place! },
      method: directory.readUInt16LE(at + 10),
    })
    at += 46 + nameBytes! + moreBytes! + noteBytes!
  }
  return entries
}

/** Replaces sizes that are too large for 32 bits by those in the ZIP64 field. That field contains only the replaced
 *  sizes, in the order of `sizes`. */
function withFarSizes(sizes: number[], more: Buffer): number[] {
  let far = 0
  for (let at = 0; at + 4 <= more.length; at += 4 + more.readUInt16LE(at + 2))
    if (more.readUInt16LE(at) === 1) far = at + 4
  return sizes.map(size => {
    if (size !== full || far === 0) return size
    far += 8
    return Number(more.readBigUInt64LE(far - 8))
  })
}

function inflated(name: string, bytes: Buffer, maxOutputLength: number): Buffer {
  try {
    return inflateRawSync(bytes, { maxOutputLength })
  } catch (error) {
    throw damaged(`${name} cannot be decompressed: ${(error as Error).message}`)
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (!(length <= (await file.stat()).size)) throw damaged(`it ends before byte ${position + length}`)
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, position)
  if (bytesRead < length) throw damaged(`it ends at byte ${position + bytesRead}`)
  return bytes
}

const damaged = (what: string): Failure =>
  new Failure('input.invalid', `this is not a complete ZIP file: ${what}`)
