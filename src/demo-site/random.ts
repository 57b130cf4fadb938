// Pseudo-random values from a seed: the site looks random but is the same on every machine.

export interface Chance {
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(values: readonly T[]): T
  /** `count` different values, in the order of `values`. */
  some<T>(values: readonly T[], count: number): T[]
}

/** A 32-bit xorshift generator. The multiplication makes neighbouring seeds give different values. */
export function seeded(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1

  const fraction = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1))
  const pick = <T>(values: readonly T[]): T => values[between(0, values.length - 1)]!
  const some = <T>(values: readonly T[], count: number): T[] => {
    const left = values.map((value, order) => ({ value, order, draw: fraction() }))
    const drawn = left.sort((a, b) => a.draw - b.draw).slice(0, count)
    return drawn.sort((a, b) => a.order - b.order).map(each => each.value)
  }
  for (let warmUp = 0; warmUp < 8; warmUp++) fraction()
  return { fraction, between, pick, some }
}
