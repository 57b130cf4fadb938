// Calculates when requests are due. Each request is sent at its time, even if earlier requests have no response (an open loop).

/** A period in which the rate changes evenly from one value to another. */
export interface Stage {
  seconds: number
  /** Arrivals per second at the start and the end of the stage. */
  from: number
  to: number
}

/** The gap to the next request, relative to the mean: always 1, or random as with independent callers. */
export type NextGap = () => number

export const evenly: NextGap = () => 1

export const byChance =
  (random: () => number): NextGap =>
  () =>
    -Math.log(1 - random())

/** The times of all arrivals in milliseconds from the start, in order. */
export function* arrivals(stages: readonly Stage[], nextGap: NextGap): Generator<number> {
  let startMs = 0
  // The part of the gap that is still left when a stage starts.
  let gap = nextGap()
  for (const stage of stages) {
    let at = 0
    for (;;) {
      const next = timeFor(stage, at, gap)
      if (next === null) break
      at = next
      yield startMs + at * 1_000
      gap = nextGap()
    }
    gap -= expected(stage, stage.seconds) - expected(stage, at)
    startMs += stage.seconds * 1_000
  }
}

/** The expected number of arrivals from the start of a stage until second `at` of the stage. */
const expected = ({ seconds, from, to }: Stage, at: number): number =>
  from * at + ((to - from) * at * at) / (2 * seconds)

/** The second of the stage at which `more` requests have arrived since `at`. Null if that is after the stage. */
function timeFor(stage: Stage, at: number, more: number): number | null {
  const wanted = expected(stage, at) + more
  if (wanted > expected(stage, stage.seconds)) return null
  const half = (stage.to - stage.from) / (2 * stage.seconds)
  // Solves a quadratic equation. This form of the root is valid for rising, falling and constant rates.
  return (2 * wanted) / (stage.from + Math.sqrt(Math.max(0, stage.from ** 2 + 4 * half * wanted)))
}

/** A seeded generator, so that the same seed gives the same load (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
