// Gzip members from one compressor: each can be unpacked by itself, and none costs a compressor of its own.
import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'

/** Magic, deflate, no flags, no time, fastest, unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
/** An empty last block: what a full flush leaves open is closed by it. */
const lastBlock = Buffer.from([3, 0])

/**
 * A new compressor for every page takes 270 KB outside the heap, which makes the collector run twice as often. Instead one
 * stream is flushed fully after each record: the flush forgets what came before, so the bytes between two of them stand alone.
 */
export class GzipMembers {
  readonly #deflate: DeflateRaw
  #chunks: Buffer[] = []

  constructor() {
    // Level 1: three times faster than the default, for a tenth more bytes.
    this.#deflate = createDeflateRaw({ level: 1, flush: constants.Z_FULL_FLUSH, chunkSize: 32_768 })
    this.#deflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  /** One call at a time: the next begins when this has resolved. */
  async member(record: Buffer): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#deflate.write(record, error => (error ? reject(error) : resolve()))
    })
    const chunks = this.#chunks
    this.#chunks = []
    return Buffer.concat([header, ...chunks, lastBlock, trailerOf(record)])
  }
}

function trailerOf(record: Buffer): Buffer {
  const trailer = Buffer.allocUnsafe(8)
  trailer.writeUInt32LE(crc32(record), 0)
  trailer.writeUInt32LE(record.length, 4)
  return trailer
}
