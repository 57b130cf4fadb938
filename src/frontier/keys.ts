// 64-bit identities: of URLs (a fast hash, made for every link) and of content (a cryptographic one, made per page).
import { hash } from 'node:crypto'

/**
 * Writes the hash of `text` as two 32-bit lanes. The mixing is MurmurHash3's (x86, 128 bit) cut to two lanes over
 * UTF-16 code units, so that no bytes and no BigInt are made. Keys are kept in stores: this function never changes.
 */
export function hashInto(text: string, lanes: Int32Array, at: number): void {
  const length = text.length
  let first = 0x2545f491 ^ length
  let second = 0x9e3779b9 | 0
  for (let index = 0; index < length; index += 2) {
    // Past the end the code unit is NaN, which `<<` reads as 0; the length in the seed tells such texts apart.
    const block = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16)
    let mixed = Math.imul(block, 0x239b961b)
    first ^= Math.imul((mixed << 15) | (mixed >>> 17), 0xab0e9789)
    first = ((first << 19) | (first >>> 13)) + second
    first = (Math.imul(first, 5) + 0x561ccd1b) | 0
    mixed = Math.imul(block, 0xab0e9789)
    second ^= Math.imul((mixed << 16) | (mixed >>> 16), 0x38b34ae5)
    second = ((second << 17) | (second >>> 15)) + first
    second = (Math.imul(second, 5) + 0x0bcaa747) | 0
  }
  first = avalanche((first + second) | 0)
  second = avalanche((second + first) | 0)
  first = (first + second) | 0
  // Zero is left free: in tables of keys it means "nothing here".
  lanes[at] = first
  lanes[at + 1] = (first | second) === 0 ? 1 : second
}

function avalanche(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** The identity of a text within its job, like an input row. */
export function textKey(text: string): bigint {
  const key = new BigInt64Array(1)
  hashInto(text, new Int32Array(key.buffer), 0)
  return key[0]!
}

/** The identity of a canonical URL within its job; the same number the link admitter gives it. */
export const urlKey = (canonical: string): bigint => textKey(canonical)

/** The identity of a body: the first 64 bits of its SHA-1. */
export function contentKey(content: NodeJS.ArrayBufferView | string): bigint {
  return hash('sha1', content, 'buffer').readBigInt64LE(0)
}
