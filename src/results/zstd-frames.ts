// Compresses WARC records for segments. Each record is one zstd frame, so that it can be read by range. Compared with gzip, the same
// size takes less than half of the CPU time.
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib'

const magic = 0xfd2fb528
const magicBytes = 4

/** One compressor for all records, because a compressor per page would allocate its memory for each page. */
export class ZstdFrames {
  readonly #compressor: ZstdCompress
  #chunks: Buffer[] = []

  constructor() {
    this.#compressor = createZstdCompress({
      flush: constants.ZSTD_e_end,
      chunkSize: 32_768,
      params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
    })
    this.#compressor.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  /** Compresses a record to one frame. Wait for the promise before the next call. */
  async frame(record: Buffer): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.write(record, error => (error ? reject(error) : resolve()))
    })
    const frames = Buffer.concat(this.#chunks)
    this.#chunks = []
    // If a frame fills the buffer of Node exactly, Node asks for more, and the compressor adds an empty frame.
    return frames.subarray(0, frameAt(frames, 0).length)
  }
}

/** Whether a frame begins at `offset`. */
export const isZstd = (bytes: Buffer, offset = 0): boolean =>
  bytes.length >= offset + magicBytes && bytes.readUInt32LE(offset) === magic

interface Frame {
  /** Size of the frame in bytes. */
  length: number
  /** Size of the content. Null if the frame does not say it; ours do. */
  contentLength: number | null
}

/** Reads the sizes of the frame at `offset`, by RFC 8878. Throws a RangeError if the frame is not complete. */
export function frameAt(bytes: Buffer, offset: number): Frame {
  const { contentLength, blocksAt, checksumBytes } = headOf(bytes, offset + magicBytes)
  const end = endOfBlocks(bytes, blocksAt) + checksumBytes
  if (end > bytes.length) throw new RangeError(`the frame ends at ${end} of ${bytes.length} bytes`)
  return { length: end - offset, contentLength }
}

function headOf(bytes: Buffer, offset: number) {
  const descriptor = bytes.readUInt8(offset)
  const isSingleSegment = (descriptor & 0b10_0000) !== 0
  const windowBytes = isSingleSegment ? 0 : 1
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0b11]!
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  const sizeAt = offset + 1 + windowBytes + dictionaryBytes
  return {
    contentLength: contentLengthAt(bytes, sizeAt, sizeBytes),
    blocksAt: sizeAt + sizeBytes,
    checksumBytes: descriptor & 0b100 ? 4 : 0,
  }
}

function contentLengthAt(bytes: Buffer, offset: number, sizeBytes: number): number | null {
  if (sizeBytes === 0) return null
  if (sizeBytes === 8) return Number(bytes.readBigUInt64LE(offset))
  // The field of two bytes starts at 256, because smaller sizes fit into one byte.
  return bytes.readUIntLE(offset, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}

const blockHeadBytes = 3
/** A block of this type is one byte that the decompressor repeats. */
const repeatedByte = 1

function endOfBlocks(bytes: Buffer, offset: number): number {
  for (let at = offset; ; ) {
    const head = bytes.readUIntLE(at, blockHeadBytes)
    at += blockHeadBytes + (((head >> 1) & 0b11) === repeatedByte ? 1 : head >> 3)
    if ((head & 1) === 1) return at
  }
}

/** Size of a frame without compression, except its blocks: magic bytes, descriptor, and four bytes for the size. */
const plainHeadBytes = magicBytes + 5
/** Descriptor of a frame with one segment, a size of four bytes, and no checksum. */
const plainDescriptor = 0b1010_0000
const mostInBlock = 131_072

/** A frame of exactly `length` bytes without compression. `contentOf` creates the content for the size that fits. */
export function plainFrame(length: number, contentOf: (bytes: number) => Buffer): Buffer {
  const blocks = Math.ceil((length - plainHeadBytes) / (mostInBlock + blockHeadBytes))
  const content = contentOf(length - plainHeadBytes - blocks * blockHeadBytes)
  const head = Buffer.alloc(plainHeadBytes)
  head.writeUInt32LE(magic, 0)
  head.writeUInt8(plainDescriptor, magicBytes)
  head.writeUInt32LE(content.length, magicBytes + 1)
  const plain = Array.from({ length: blocks }, (_, index) =>
    plainBlock(content.subarray(index * mostInBlock, (index + 1) * mostInBlock), index === blocks - 1),
  )
  return Buffer.concat([head, ...plain])
}

function plainBlock(bytes: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(blockHeadBytes)
  head.writeUIntLE((bytes.length << 3) | Number(isLast), 0, blockHeadBytes)
  return Buffer.concat([head, bytes])
}
