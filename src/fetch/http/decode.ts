// Decodes Content-Encoding strictly. Limits apply during decoding, and an incomplete body is an error.
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { Failure } from '../../model/failures.ts'

interface DecodeLimits {
  maxBytes: number
  /** The target of the request, for messages. */
  target: string
}

export const acceptedEncodings = 'gzip, deflate, br, zstd'

const maxEncodings = 5
/** Bodies up to this size are decoded synchronously, because that costs less than a round trip to the thread pool. */
const atOnceBytes = 131_072
/** Above `ratioFreeBytes`, a body may grow by at most this factor. A larger ratio is treated as a decompression bomb. */
const maxRatio = 200
const ratioFreeBytes = 1_048_576

/** The result of zlib with the `info` option. Its types declare only the buffer. */
interface Decoded {
  buffer: Buffer
  engine: { bytesWritten: number }
}

interface Codec {
  atOnce: (input: Buffer, options: object) => unknown
  inPool: (input: Buffer, options: object) => Promise<unknown>
  stream: () => Duplex
}

const gzip: Codec = {
  atOnce: zlib.gunzipSync,
  inPool: promisify<Buffer, object, unknown>(zlib.gunzip),
  stream: () => zlib.createGunzip(),
}
const deflate: Codec = {
  atOnce: zlib.inflateSync,
  inPool: promisify<Buffer, object, unknown>(zlib.inflate),
  stream: () => zlib.createInflate(),
}
const rawDeflate: Codec = {
  atOnce: zlib.inflateRawSync,
  inPool: promisify<Buffer, object, unknown>(zlib.inflateRaw),
  stream: () => zlib.createInflateRaw(),
}
const brotli: Codec = {
  atOnce: zlib.brotliDecompressSync,
  inPool: promisify<Buffer, object, unknown>(zlib.brotliDecompress),
  stream: () => zlib.createBrotliDecompress(),
}
const zstd: Codec = {
  atOnce: zlib.zstdDecompressSync,
  inPool: promisify<Buffer, object, unknown>(zlib.zstdDecompress),
  stream: () => zlib.createZstdDecompress(),
}

/** Names of the encodings in the order in which they were applied, without `identity`. */
export function encodingsOf(header: string | null): string[] {
  if (header === null) return []
  const names = header.toLowerCase().split(',')
  return names.map(name => name.trim()).filter(name => name !== '' && name !== 'identity')
}

/** Decodes the whole body. An empty body stays empty, whatever its headers say. */
export async function decodeBody(wire: Buffer, encodings: string[], limits: DecodeLimits): Promise<Buffer> {
  if (encodings.length === 0 || wire.length === 0) return wire
  refuseTooMany(encodings, limits)
  const capBytes = Math.min(limits.maxBytes, Math.max(ratioFreeBytes, wire.length * maxRatio))
  let body = wire
  for (const encoding of encodings.toReversed()) {
    const codec = codecOf(encoding, body)
    if (codec === null) throw undecodable(limits, `the encoding "${encoding}" was not in our Accept-Encoding`)
    body = await undo(codec, body, capBytes, limits)
  }
  return body
}

/** Decodes the first `maxBytes` of a body that may be longer or truncated. */
export async function decodeStart(wire: Buffer, encodings: string[], limits: DecodeLimits): Promise<Buffer> {
  refuseTooMany(encodings, limits)
  let body = wire
  for (const encoding of encodings.toReversed()) {
    const codec = codecOf(encoding, body)
    if (codec === null) throw undecodable(limits, `the encoding "${encoding}" was not in our Accept-Encoding`)
    body = await undoStart(codec, body, limits)
  }
  return body
}

async function undoStart(codec: Codec, input: Buffer, limits: DecodeLimits): Promise<Buffer> {
  const stream = codec.stream()
  const parts: Buffer[] = []
  let bytes = 0
  stream.end(input)
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part)
      bytes += part.length
      if (bytes >= limits.maxBytes) break
    }
  } catch (error) {
    if (bytes === 0 || !isCutShort(error)) throw decodeFailure(error, limits.maxBytes, limits)
  }
  return Buffer.concat(parts).subarray(0, limits.maxBytes)
}

const isCutShort = (error: unknown): boolean =>
  /^(Z_BUF_ERROR|ERR__ERROR_|ZSTD_error_|ERR_STREAM_PREMATURE_CLOSE)/.test(
    (error as NodeJS.ErrnoException).code ?? '',
  )

function refuseTooMany(encodings: string[], limits: DecodeLimits): void {
  if (encodings.length <= maxEncodings) return
  throw undecodable(
    limits,
    `${encodings.length} encodings were applied one after another; ${maxEncodings} is the limit`,
  )
}

function codecOf(encoding: string, input: Buffer): Codec | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gzip
    case 'deflate':
      return hasZlibHeader(input) ? deflate : rawDeflate
    case 'br':
      return brotli
    case 'zstd':
      return zstd
    default:
      return null
  }
}

/** By the standard, `deflate` means zlib, but some servers send raw deflate. The RFC 1950 header distinguishes them. */
function hasZlibHeader(input: Buffer): boolean {
  const [first = 0, second = 0] = input
  return (first & 15) === 8 && ((first << 8) | second) % 31 === 0
}

async function undo(codec: Codec, input: Buffer, capBytes: number, limits: DecodeLimits): Promise<Buffer> {
  try {
    const first = await run(codec, input, capBytes)
    return codec === zstd ? await withFurtherFrames(input, first, capBytes) : first.buffer
  } catch (error) {
    throw decodeFailure(error, capBytes, limits)
  }
}

async function run(codec: Codec, input: Buffer, capBytes: number): Promise<Decoded> {
  const options = { maxOutputLength: capBytes, info: true, chunkSize: chunkSizeFor(input) }
  const work = input.length <= atOnceBytes ? codec.atOnce(input, options) : await codec.inPool(input, options)
  return work as Decoded
}

/** Size of the output buffer. Text shrinks to about a sixth, so eight times the input usually avoids a second buffer. */
const chunkSizeFor = (input: Buffer) => Math.min(262_144, Math.max(16_384, input.length * 8))

/** A zstd body may have several frames, but Node decodes only the first. This function decodes the other frames. */
async function withFurtherFrames(input: Buffer, first: Decoded, capBytes: number): Promise<Buffer> {
  const parts = [first.buffer]
  let offset = first.engine.bytesWritten
  let leftBytes = capBytes - first.buffer.length
  while (offset < input.length && isZstdFrame(input, offset)) {
    const next = await run(zstd, input.subarray(offset), Math.max(1, leftBytes))
    parts.push(next.buffer)
    offset += next.engine.bytesWritten
    leftBytes -= next.buffer.length
  }
  return parts.length === 1 ? first.buffer : Buffer.concat(parts)
}

const isZstdFrame = (input: Buffer, offset: number) =>
  input.length - offset >= 4 && input.readUInt32LE(offset) === 0xfd2fb528

function decodeFailure(error: unknown, capBytes: number, limits: DecodeLimits): Failure {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limits, capBytes)
  if (code === 'Z_BUF_ERROR') {
    return new Failure('body.truncated', `The compressed body of ${limits.target} is incomplete`, {
      target: limits.target,
    })
  }
  return undecodable(limits, `it does not have the encoding that Content-Encoding names (${code})`)
}

export function tooLarge(limits: DecodeLimits, capBytes = limits.maxBytes): Failure {
  const why = capBytes < limits.maxBytes ? `more than ${maxRatio} times its size on the wire` : 'maxBytes'
  return new Failure('body.too-large', `The body of ${limits.target} is over ${capBytes} bytes (${why})`, {
    target: limits.target,
    maxBytes: capBytes,
  })
}

function undecodable(limits: DecodeLimits, why: string): Failure {
  return new Failure('body.undecodable', `The body of ${limits.target} cannot be decoded: ${why}`, {
    target: limits.target,
  })
}
