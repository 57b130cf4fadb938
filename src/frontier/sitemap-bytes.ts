// From the bytes of a sitemap to its text, in pieces: unpacked by magic number, decoded by byte order mark or declaration.
import { constants, gunzipSync } from 'node:zlib'

const chunkBytes = 65_536

/** Also what a compression bomb is called. */
export const brokenGzip = 'broken or oversized gzip'

export interface Unpacked {
  bytes: Buffer
  /** Not all of it: the limit was reached, or the end is missing. */
  truncated: boolean
  problem: string | null
}

/** Some servers pack once as a file and once more on the way. */
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

/** What comes out of as much of the file as stays within the limit; halved until it does. */
function firstPart(packed: Buffer, maxBytes: number): Buffer {
  for (let length = packed.length; length > 0; length = Math.floor(length / 2)) {
    const part = tryGunzip(packed.subarray(0, length), maxBytes, constants.Z_SYNC_FLUSH)
    if (part !== null) return part
  }
  return Buffer.alloc(0)
}

function tryGunzip(packed: Buffer, maxOutputLength: number, finishFlush: number): Buffer | null {
  try {
    return gunzipSync(packed, { maxOutputLength, finishFlush })
  } catch {
    return null
  }
}

/** The text in pieces of some 64 KB, so that a large file is never a string as a whole. */
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

/** A file that can be read for its declaration is not UTF-16, whatever the declaration says. */
function isKnown(label: string): boolean {
  try {
    return !new TextDecoder(label).encoding.startsWith('utf-16')
  } catch {
    return false
  }
}
