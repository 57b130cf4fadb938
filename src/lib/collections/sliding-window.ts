// The last N outcomes, and the number of failures among them.

export class SlidingWindow {
  readonly #slots: Uint8Array
  #next = 0
  #length = 0
  #failures = 0

  constructor(size: number, outcomes: readonly number[] = []) {
    this.#slots = new Uint8Array(size)
    for (const outcome of outcomes.slice(-size)) this.push(outcome !== 0)
  }

  get length(): number {
    return this.#length
  }

  get failures(): number {
    return this.#failures
  }

  push(failed: boolean): void {
    if (this.#length === this.#slots.length) this.#failures -= this.#slots[this.#next]!
    else this.#length += 1
    this.#slots[this.#next] = failed ? 1 : 0
    this.#failures += failed ? 1 : 0
    this.#next = (this.#next + 1) % this.#slots.length
  }

  clear(): void {
    this.#next = 0
    this.#length = 0
    this.#failures = 0
  }

  /** The outcomes, oldest first; 1 is a failure. */
  toArray(): number[] {
    const first = this.#length === this.#slots.length ? this.#next : 0
    return Array.from(
      { length: this.#length },
      (_, index) => this.#slots[(first + index) % this.#slots.length]!,
    )
  }
}
