// Converts the bytes of a sitemap to text in chunks. The magic number shows whether it is compressed; the byte order mark or the XML
// declaration names the charset.
import { constants, gunzipSync } from 'node:zlib'

const chunkBytes = 65_536

/** The problem that is reported for a file that cannot be decompressed, or for a compression bomb. */
const brokenGzip = 'broken or oversized gzip'

interface Unpacked {
  bytes: Buffer
  /** Whether the bytes are incomplete: the size limit was reached, or the end of the file is missing. */
  truncated: boolean
  problem: string | null
}

/** Decompresses a sitemap, twice if needed: some servers compress the file and also the response. */
export function unpack(body: Buffer, maxBytes: number): Unpacked {
  const once = unpackOnce({ bytes: body, truncated: false, problem: null }, maxBytes)
  return unpackOnce(once, maxBytes)
}

function unpackOnce(packed: Unpacked, maxBytes: number): Unpacked {
  if (packed.bytes[0] !== 0x1f || packed.bytes[1] !== 0x8b) return cut(packed, maxBytes)
  const whole = tryGunzip(packed.bytes, maxBytes, constants.Z_FINISH)
  if (whole !== null) return { ...packed, bytes: whole }
  return { bytes: firstPart(packed.bytes, maxBytes), truncated: true, problem: brokenGzip }
}

function cut(packed: Unpacked, maxBytes: number): Unpacked {
  if (packed.bytes.length <= maxBytes) return packed
  return {
    bytes: packed.bytes.subarray(0, maxBytes),
    truncated: true,
    problem: `more than ${maxBytes} bytes`,
  }
}

/** Steps of the bisection in `firstPart`. Each step decompresses up to `maxBytes` again. Ten steps find the position to
 *  a thousandth of the file. */
const searchSteps = 10

/** Decompresses the start of a file, so that the output has at least 80 % of `maxBytes`, if possible, and at most
 *  `maxBytes`. zlib returns nothing if the output is too long, so bisection finds how much of the file to decompress. */
function firstPart(packed: Buffer, maxBytes: number): Buffer {
  const unpackFirst = (length: number): Buffer | null =>
    tryGunzip(packed.subarray(0, length), maxBytes, constants.Z_SYNC_FLUSH)
  let best = unpackFirst(packed.length) ?? Buffer.alloc(0)
  if (best.length > 0) return best
  let fits = 0
  let fails = packed.length
  for (let step = 0; fails - fits > 1 && (step < searchSteps || best.length === 0); step++) {
    const middle = Math.floor((fits + fails) / 2)
    const part = unpackFirst(middle)
    if (part === null) fails = middle
    else [fits, best] = [middle, part]
    if (best.length > 0.8 * maxBytes) break
  }
  return best
}

function tryGunzip(packed: Buffer, maxOutputLength: number, finishFlush: number): Buffer | null {
  try {
    return gunzipSync(packed, { maxOutputLength, finishFlush })
  } catch {
    return null
  }
}

/** The text in chunks of about 64 KB, so that a large file is never one string. */
export function* decodeChunks(bytes: Buffer): Generator<string> {
  const decoder = new TextDecoder(encodingOf(bytes))
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield decoder.decode(bytes.subarray(at, at + chunkBytes), { stream: true })
  }
  yield decoder.decode()
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(bytes.toString('latin1', 0, 256))?.[1]
  return declared !== undefined && isKnown(declared) ? declared : 'utf-8'
}

/** Whether a declared charset is usable. UTF-16 is not usable: the declaration was read as ASCII, so the file cannot be
 *  UTF-16. */
function isKnown(label: string): boolean {
  try {
    return !new TextDecoder(label).encoding.startsWith('utf-16')
  } catch {
    return false
  }
}
