// Runs long synchronous work in slices, so that timers, sockets and heartbeats are not delayed.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time that a slice may block the thread. */
const longestMs = 10

/** Returns a function to call between two pieces of work. It returns a promise when the thread must be released,
 *  otherwise undefined. */
export function politeWork(): () => Promise<void> | undefined {
  let since = performance.now()
  const rest = async () => {
    await nextTurn()
    since = performance.now()
  }
  return () => (performance.now() - since < longestMs ? undefined : rest())
}
