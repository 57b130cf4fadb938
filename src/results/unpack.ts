// Decompresses stored WARC records. Segments have one zstd frame per record. Exports and older segments have one gzip member per
// record.
import { promisify } from 'node:util'
import { gunzip, gunzipSync, inflateRawSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import { frameAt, isZstd } from './zstd-frames.ts'

interface Unpacked {
  content: Buffer
  /** Number of compressed bytes. */
  length: number
}

/** Our gzip members have a header of ten bytes without extra fields, and eight trailing bytes. */
const headBytes = 10
const tailBytes = 8

/** Decompresses the record that begins at `offset`. Throws if the record is larger than `mostBytes`. */
export function unpackAt(bytes: Buffer, offset: number, mostBytes?: number): Unpacked {
  const limit = mostBytes === undefined ? {} : { maxOutputLength: mostBytes }
  try {
    return isZstd(bytes, offset) ? unpackFrame(bytes, offset, limit) : unpackMember(bytes, offset, limit)
  } catch (error) {
    throw damaged(`the record at ${offset} does not decompress`, error)
  }
}

type Limit = { maxOutputLength?: number }

function unpackFrame(bytes: Buffer, offset: number, limit: Limit): Unpacked {
  const { length } = frameAt(bytes, offset)
  return { content: zstdDecompressSync(bytes.subarray(offset, offset + length), limit), length }
}

function unpackMember(bytes: Buffer, offset: number, limit: Limit): Unpacked {
  if (bytes.readUInt16BE(offset) !== 0x1f8b || bytes[offset + 3] !== 0)
    throw new RangeError(`neither a zstd frame nor a gzip member begins at ${offset}`)
  const { buffer, engine } = inflateRawSync(bytes.subarray(offset + headBytes), {
    info: true,
    ...limit,
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
  return { content: buffer, length: headBytes + engine.bytesWritten + tailBytes }
}

/** All records in `bytes`, without compression. */
export function unpack(bytes: Buffer): Buffer {
  try {
    return isZstd(bytes)
      ? Buffer.concat(framesIn(bytes).map(frame => zstdDecompressSync(frame)))
      : gunzipSync(bytes)
  } catch (error) {
    throw damaged('it does not decompress', error)
  }
}

/** Unpacks large pages in another thread, so that the API stays responsive. */
export async function unpackBeside(bytes: Buffer): Promise<Buffer> {
  if (bytes.length < largeBytes && unpackedLength(bytes) < largeBytes) return unpack(bytes)
  try {
    return isZstd(bytes)
      ? Buffer.concat(await Promise.all(framesIn(bytes).map(frame => zstdDecompressAsync(frame))))
      : await gunzipAsync(bytes)
  } catch (error) {
    throw damaged('it does not decompress', error)
  }
}

const gunzipAsync = promisify(gunzip)
const zstdDecompressAsync = promisify(zstdDecompress) as (bytes: Buffer) => Promise<Buffer>
const largeBytes = 250_000

/** Splits the bytes into frames, because Node decompresses only the first frame. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let offset = 0; offset < bytes.length; offset += frames.at(-1)!.length)
    frames.push(bytes.subarray(offset, offset + frameAt(bytes, offset).length))
  return frames
}

/** For gzip, the size of the last record, which is usually the page. Zero if the bytes are damaged. */
function unpackedLength(bytes: Buffer): number {
  if (!isZstd(bytes)) return bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4)
  try {
    return framesIn(bytes).reduce((sum, frame) => sum + (frameAt(frame, 0).contentLength ?? largeBytes), 0)
  } catch {
    return 0
  }
}

export function damaged(what: string, cause?: unknown): Failure {
  return new Failure('storage.failed', `a raw page cannot be read back: ${what}`, {}, { cause })
}
