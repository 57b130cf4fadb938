// Counts any number of names in bounded memory. Only the largest counts are reported.

export class TopCounts {
  readonly #shown: number
  readonly #room: number
  #counts = new Map<string, number>()

  /** `shown` is the number of largest counts that are reported. */
  constructor(shown: number) {
    this.#shown = shown
    this.#room = shown * 50
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    if (this.#counts.size > 2 * this.#room) this.#forget()
  }

  /** The largest counts, largest first. If an evicted name is added again, its count restarts from 1. */
  top(): Array<[name: string, count: number]> {
    return this.#sorted().slice(0, this.#shown)
  }

  #sorted(): Array<[string, number]> {
    return [...this.#counts].sort((one, other) => other[1] - one[1])
  }

  #forget(): void {
    this.#counts = new Map(this.#sorted().slice(0, this.#room))
  }
}
