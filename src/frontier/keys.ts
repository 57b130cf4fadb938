// 64-bit keys of URLs, page bodies and input rows.
import { hash } from 'node:crypto'

/** Hashes a text that is given in pieces, so that the parts of a URL need not be joined. It uses the mixing of
 *  MurmurHash3 (x86, 128 bit) with two accumulators over UTF-16 code units. Keys are stored, so the result for a text
 *  must never change. */
export class KeyHash {
  #first = 0x2545f491
  #second = 0x9e3779b9 | 0
  #length = 0
  /** The first code unit of an incomplete block of two; -1 if there is none. */
  #waiting = -1

  resume(from: KeyHash): this {
    this.#first = from.#first
    this.#second = from.#second
    this.#length = from.#length
    this.#waiting = from.#waiting
    return this
  }

  add(text: string, start = 0, end: number = text.length): this {
    let first = this.#first
    let second = this.#second
    let waiting = this.#waiting
    for (let index = start; index < end; index++) {
      const code = text.charCodeAt(index)
      if (waiting < 0) {
        waiting = code
        continue
      }
      const block = waiting | (code << 16)
      waiting = -1
      let mixed = Math.imul(block, 0x239b961b)
      first ^= Math.imul((mixed << 15) | (mixed >>> 17), 0xab0e9789)
      first = ((first << 19) | (first >>> 13)) + second
      first = (Math.imul(first, 5) + 0x561ccd1b) | 0
      mixed = Math.imul(block, 0xab0e9789)
      second ^= Math.imul((mixed << 16) | (mixed >>> 16), 0x38b34ae5)
      second = ((second << 17) | (second >>> 15)) + first
      second = (Math.imul(second, 5) + 0x0bcaa747) | 0
    }
    this.#first = first
    this.#second = second
    this.#waiting = waiting
    this.#length += end - start
    return this
  }

  /** Writes the two halves of the key. The key 0 is never written, because it means "empty" in key tables. */
  writeTo(lanes: Int32Array): void {
    const last = this.#waiting < 0 ? 0 : Math.imul(this.#waiting, 0xa1e38b93)
    let first = this.#first ^ last ^ this.#length
    let second = this.#second ^ this.#length
    first = avalanche((first + second) | 0)
    second = avalanche((second + first) | 0)
    first = (first + second) | 0
    lanes[0] = first
    lanes[1] = (first | second) === 0 ? 1 : second
  }
}

function avalanche(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** The key of a canonical URL. `LinkAdmitter` computes the same key. */
export function urlKey(canonical: string): bigint {
  new KeyHash().add(canonical).writeTo(itsLanes)
  return oneKey[0]!
}

/** The key of an input row: the first 64 bits of its SHA-1. */
export const textKey = (text: string): bigint => hash('sha1', text, 'buffer').readBigInt64LE(0)

/** The key of a page body. It is computed for every page, so it uses a fast hash: the rounds of xxHash32 with four
 *  accumulators. For 17 KB it takes 6 µs; SHA-1 takes 13 µs. It is not secure against collisions. But a site that
 *  forges them only causes its own pages to be skipped. */
export function contentKey(body: Uint8Array): bigint {
  // Use a DataView: it reads words without a copy, also if the body does not start at a multiple of four.
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const blocksEnd = body.length & ~15
  let a = 0x24234428
  let b = 0x85ebca77 | 0
  let c = 0x2545f491
  let d = 0x61c8864f
  for (let at = 0; at < blocksEnd; at += 16) {
    a = round(a, view.getInt32(at, true))
    b = round(b, view.getInt32(at + 4, true))
    c = round(c, view.getInt32(at + 8, true))
    d = round(d, view.getInt32(at + 12, true))
    // Mix the accumulators, so that a difference changes all of them. One accumulator alone has only 32 bits.
    a = (a + b) | 0
    b = (b + c) | 0
    c = (c + d) | 0
    d = (d + a) | 0
  }
  for (let at = blocksEnd; at < body.length; at++) a = round(a, body[at]!)
  // `| 0` limits the sums to 32 bits. Otherwise V8 would discard its optimized code repeatedly.
  a = avalanche(((a ^ body.length) + Math.imul(b, 5)) | 0)
  c = avalanche((c + Math.imul(d, 5)) | 0)
  const second = ((rotated(a, 16) ^ Math.imul(c, 0x85ebca77)) + b) | 0
  return keyOf(avalanche((a + c) | 0), avalanche(second))
}

const rotated = (lane: number, bits: number): number => (lane << bits) | (lane >>> (32 - bits))

function round(lane: number, word: number): number {
  const mixed = (lane + Math.imul(word, 0x85ebca77)) | 0
  return Math.imul((mixed << 13) | (mixed >>> 19), 0x9e3779b1)
}

const oneKey = new BigInt64Array(1)
const itsLanes = new Int32Array(oneKey.buffer)

function keyOf(first: number, second: number): bigint {
  itsLanes[0] = first
  itsLanes[1] = second
  return oneKey[0]!
}
