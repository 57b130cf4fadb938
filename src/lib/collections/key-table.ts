// A table of 64-bit keys in the order in which they came: eight bytes and a bit for each, where a Map takes a hundred.

export class KeyTable {
  readonly #keys: BigUint64Array
  /** Places of keys by their hash, one more than the index; 0 is free. */
  readonly #slots: Uint32Array
  size = 0

  /** For so many keys, and no more. */
  constructor(most: number) {
    this.#keys = new BigUint64Array(most)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(most * 2 + 2)))
  }

  /** The index it was given; null when the key is there already, or the table is full. */
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

  /** Where it is, or would be: keys are hashes, so their low bits spread well. */
  #slotOf(key: bigint): number {
    const mask = this.#slots.length - 1
    let slot = Number(BigInt.asUintN(32, key)) & mask
    while (this.#slots[slot] !== 0 && this.#keys[this.#slots[slot]! - 1] !== key) slot = (slot + 1) & mask
    return slot
  }
}
