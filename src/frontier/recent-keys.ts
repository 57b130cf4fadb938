// Remembers the keys seen lately in a fixed piece of memory: what it says it has, it has; what it lost, the store has.

export class RecentKeys {
  readonly #slots: Int32Array
  readonly #mask: number

  /** `size` is a power of two; each key takes 8 bytes. */
  constructor(size = 65_536) {
    this.#slots = new Int32Array(size * 2)
    this.#mask = size - 1
  }

  has(lanes: Int32Array): boolean {
    const at = (lanes[0]! & this.#mask) * 2
    return this.#slots[at] === lanes[0] && this.#slots[at + 1] === lanes[1]
  }

  /** Takes the place of whatever was in the key's slot. */
  add(lanes: Int32Array): void {
    const at = (lanes[0]! & this.#mask) * 2
    this.#slots[at] = lanes[0]!
    this.#slots[at + 1] = lanes[1]!
  }

  clear(): void {
    this.#slots.fill(0)
  }
}
