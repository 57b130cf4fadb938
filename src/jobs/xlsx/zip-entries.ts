// Reads a ZIP archive in memory. Its directory lists the entries; each entry is decompressed as a stream.
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

export interface ZipEntry {
  name: string
  open(): AsyncIterable<Buffer>
}

const directoryMark = 0x02014b50
const endMark = 0x06054b50
const farEndMark = 0x06064b50
const full = 0xffffffff
/** The size of the end-of-directory record with the longest possible comment. */
const mostEndBytes = 22 + 65_535

/** The entries by name. Null if the bytes are not a ZIP archive, or if it is truncated. */
export function zipEntries(bytes: Buffer): Map<string, ZipEntry> | null {
  const end = bytes.lastIndexOf(markBytes(endMark))
  if (end < 0 || end < bytes.length - mostEndBytes) return null
  try {
    return entriesFrom(bytes, directoryStart(bytes, end))
  } catch (error) {
    // An offset in the archive points beyond its end, so the archive is broken.
    if (error instanceof RangeError) return null
    throw error
  }
}

const markBytes = (mark: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(mark)
  return bytes
}

function directoryStart(bytes: Buffer, end: number): number {
  const start = bytes.readUInt32LE(end + 16)
  if (start !== full) return start
  const far = bytes.lastIndexOf(markBytes(farEndMark), end)
  return Number(bytes.readBigUInt64LE(far + 48))
}

function entriesFrom(bytes: Buffer, start: number): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  for (let at = start; bytes.readUInt32LE(at) === directoryMark; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(offset =>
      bytes.readUInt16LE(at + offset),
    )
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength!).replaceAll('\\', '/')
    const size = bytes.readUInt32LE(at + 20)
    const offset = bytes.readUInt32LE(at + 42)
    entries.set(name.toLowerCase(), {
      name,
      open: () => contentAt(bytes, offset, size, bytes.readUInt16LE(at + 10)),
    })
    at += 46 + nameLength! + extraLength! + commentLength!
    if (at + 4 > bytes.length) break
  }
  return entries
}

function contentAt(bytes: Buffer, offset: number, size: number, method: number): AsyncIterable<Buffer> {
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const content = bytes.subarray(start, start + size)
  const stream = Readable.from(piecesOf(content))
  return method === 0 ? stream : stream.compose(createInflateRaw({ chunkSize: pieceBytes }))
}

const pieceBytes = 1 << 16

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
