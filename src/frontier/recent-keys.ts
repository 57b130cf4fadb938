// A cache of recent keys in fixed memory. Hits are certain; for misses, the store decides.

/** Associativity: with one way, two colliding keys would evict each other repeatedly. */
const ways = 4

export class RecentKeys {
  readonly #slots: Int32Array
  readonly #mask: number

  /** `size` is a power of two; each key takes 8 bytes. */
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

  /** Inserts at the front; the last one is evicted. */
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
