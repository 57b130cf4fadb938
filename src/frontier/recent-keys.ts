// A cache of recently seen keys with a fixed size. A key in the cache was seen before. For other keys, only the store
// knows whether they were seen.

/** Keys per hash bucket. With only one, two keys of the same bucket would evict each other again and again. */
const ways = 4

export class RecentKeys {
  readonly #slots: Int32Array
  readonly #mask: number

  /** `size` is the number of keys and must be a power of two. Each key takes 8 bytes. */
  constructor(size = 65_536) {
    this.#slots = new Int32Array(size * 2)
    this.#mask = size / ways - 1
  }

  has(lanes: Int32Array): boolean {
    const slots = this.#slots
    const start = (lanes[0]! & this.#mask) * ways * 2
    for (let at = start; at < start + ways * 2; at += 2) {
      if (slots[at] === lanes[0] && slots[at + 1] === lanes[1]) return true
    }
    return false
  }

  /** Inserts a key at the front of its bucket. The last key of the bucket is evicted. */
  add(lanes: Int32Array): void {
    const start = (lanes[0]! & this.#mask) * ways * 2
    this.#slots.copyWithin(start + 2, start, start + (ways - 1) * 2)
    this.#slots[start] = lanes[0]!
    this.#slots[start + 1] = lanes[1]!
  }

  clear(): void {
    this.#slots.fill(0)
  }
}
