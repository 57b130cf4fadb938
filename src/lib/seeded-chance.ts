// Chance that comes out the same for the same word: in every process, and after every restart.
import { hashOf } from './text/string-hash.ts'

/** Numbers in [0, 1), as `Math.random` gives them (mulberry32). */
export function seededRandom(seed: string): () => number {
  let state = hashOf(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** For libraries that know no chance but `Math.random`: theirs is ours while `work` runs, which must not wait for anything. */
export function withChance<Value>(random: () => number, work: () => Value): Value {
  const usual = Math.random
  Math.random = random
  try {
    return work()
  } finally {
    Math.random = usual
  }
}
