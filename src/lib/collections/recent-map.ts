// A map of bounded size with least-recently-used eviction.

export class RecentMap<Key, Value> {
  #limit: number
  #entries = new Map<Key, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined || this.#entries.size < this.#limit / 2) return value
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value as Key)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  get size(): number {
    return this.#entries.size
  }
}
