// A table of 64-bit keys in insertion order. It takes 16 to 24 bytes per key of its capacity; a Map takes about a
// hundred.

export class KeyTable {
  readonly #keys: BigUint64Array
  /** Hash table of key positions, each stored as the index plus one. 0 means free. */
  readonly #slots: Uint32Array
  size = 0

  /** `most` is the fixed capacity. */
  constructor(most: number) {
    this.#keys = new BigUint64Array(most)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(most * 2 + 2)))
  }

  /** Adds a key and returns its index. Null if the key exists or the table is full. */
  add(key: bigint): number | null {
    const slot = this.#slotOf(key)
    if (this.#slots[slot] !== 0 || this.size === this.#keys.length) return null
    this.#keys[this.size] = key
    this.size += 1
    this.#slots[slot] = this.size
    return this.size - 1
  }

  find(key: bigint): number | null {
    const place = this.#slots[this.#slotOf(key)]!
    return place === 0 ? null : place - 1
  }

  keyAt(index: number): bigint {
    return this.#keys[index]!
  }

  /** The slot of a key. Keys are hashes, so their low bits are evenly distributed. */
  #slotOf(key: bigint): number {
    const mask = this.#slots.length - 1
    let slot = Number(BigInt.asUintN(32, key)) & mask
    while (this.#slots[slot] !== 0 && this.#keys[this.#slots[slot]! - 1] !== key) slot = (slot + 1) & mask
    return slot
  }
}
