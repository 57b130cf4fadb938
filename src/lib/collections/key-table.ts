// A table of 64-bit keys in insertion order: about eight bytes per key instead of a hundred in a Map.

export class KeyTable {
  readonly #keys: BigUint64Array
  /** Places of keys by their hash, one more than the index; 0 is free. */
  readonly #slots: Uint32Array
  size = 0

  /** Fixed capacity. */
  constructor(most: number) {
    this.#keys = new BigUint64Array(most)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(most * 2 + 2)))
  }

  /** The new index; null if the key exists or the table is full. */
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

  /** The slot of a key: keys are hashes, so their low bits are spread. */
  #slotOf(key: bigint): number {
    const mask = this.#slots.length - 1
    let slot = Number(BigInt.asUintN(32, key)) & mask
    while (this.#slots[slot] !== 0 && this.#keys[this.#slots[slot]! - 1] !== key) slot = (slot + 1) & mask
    return slot
  }
}
