// Runs long synchronous work in slices, so that timers, sockets and heartbeats are not delayed.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Calls `act` for each entry of a list that may be long. Other work of the process runs after every 1,000 entries. */
export async function inTurns<Entry>(
  entries: readonly Entry[],
  act: (entry: Entry, index: number) => void | Promise<void>,
): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    if (index % entriesInATurn === entriesInATurn - 1) await nextTurn()
    const pending = act(entry, index)
    if (pending) await pending
  }
}

const entriesInATurn = 1_000

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
