// A set of positive integers that are mostly consecutive, stored as ranges: `1-500,502,510-900`.

export class NumberSet {
  /** Sorted, disjoint and not adjacent. Both ends are included. */
  readonly #ranges: Array<[first: number, last: number]>

  constructor(ranges: Array<[number, number]> = []) {
    this.#ranges = ranges
  }

  static parse(text: string): NumberSet {
    const ranges = text === '' ? [] : text.split(',').map(rangeOf)
    return new NumberSet(ranges)
  }

  toString(): string {
    return this.#ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
  }

  has(n: number): boolean {
    const range = this.#ranges[this.#indexOf(n)]
    return range !== undefined && n <= range[1]
  }

  /** The largest number up to which all numbers are in the set; 0 if 1 is missing. */
  get completeTo(): number {
    const [first] = this.#ranges
    return first?.[0] === 1 ? first[1] : 0
  }

  add(n: number): void {
    if (this.has(n)) return
    const index = this.#indexOf(n)
    const before = this.#ranges[index]
    const after = this.#ranges[index + 1]
    const joinsBefore = before !== undefined && before[1] === n - 1
    const joinsAfter = after !== undefined && after[0] === n + 1
    if (joinsBefore && joinsAfter) {
      before[1] = after[1]
      this.#ranges.splice(index + 1, 1)
    } else if (joinsBefore) before[1] = n
    else if (joinsAfter) after[0] = n
    else this.#ranges.splice(index + 1, 0, [n, n])
  }

  /** Index of the last range that begins at or before `n`; -1 if there is none. */
  #indexOf(n: number): number {
    let low = 0
    let high = this.#ranges.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#ranges[middle]![0] <= n) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

function rangeOf(text: string): [number, number] {
  const [first, last = first] = text.split('-').map(Number)
  return [first!, last!]
}
