// Random numbers from a seed. They are the same in every process and after every restart.
import { hashOf } from './text/string-hash.ts'

/** Numbers in [0, 1) like `Math.random` (mulberry32). */
export function seededRandom(seed: string): () => number {
  let state = hashOf(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Seeds `Math.random` while the synchronous `work` runs. */
export function withRandom<Value>(random: () => number, work: () => Value): Value {
  const usual = Math.random
  Math.random = random
  try {
    return work()
  } finally {
    Math.random = usual
  }
}
