// Runs long synchronous work in slices, so that timers, sockets and heartbeats are not delayed.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time that work has the thread to itself. */
const longestMs = 10

/** To be called between two pieces of work; rests when it is time to. */
export function politeWork(): () => Promise<void> | undefined {
  let since = performance.now()
  const rest = async () => {
    await nextTurn()
    since = performance.now()
  }
  return () => (performance.now() - since < longestMs ? undefined : rest())
}
