// Heartbeats: every process that receives from the streams reports every few seconds that it is alive.
import { systemClock } from '../../lib/clocks.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import type { BrowserPool } from '../../model/events.ts'
import type { StreamContents, WorkerHeartbeat } from '../../ports/stream-contents.ts'

const everyMs = 5_000
const longestSignOutMs = 1_000

export async function sendHeartbeats(
  presence: StreamContents,
  name: string,
  sign: () => Omit<WorkerHeartbeat, 'name'>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Math.round(performance.timeOrigin)
  while (!signal.aborted) {
    const own = { startedAt, memoryBytes: process.memoryUsage.rss() }
    await presence.signIn(name, { ...own, ...sign() }).catch(() => {})
    await systemClock.sleep(everyMs, signal).catch(() => {})
  }
}

/** Removes the heartbeat of this process. Waits at most a second for Redis, because a process without heartbeats soon
 *  counts as gone anyway. */
export const signOut = (presence: StreamContents, name: string): Promise<boolean> =>
  settledWithin(presence.signOut(name), longestSignOutMs)

/** The browsers of all workers as one pool; null if no worker has used a browser yet. */
export function joinedPool(signs: readonly WorkerHeartbeat[]): BrowserPool | null {
  const pools = signs.flatMap(({ name, browserPool }) => (browserPool ? [{ name, ...browserPool }] : []))
  if (pools.length === 0) return null
  const sum = (of: (pool: BrowserPool) => number) => pools.reduce((all, pool) => all + of(pool), 0)
  return {
    total: sum(({ total }) => total),
    available: sum(({ available }) => available),
    inUse: sum(({ inUse }) => inUse),
    pagesProcessed: sum(({ pagesProcessed }) => pagesProcessed),
    recycledCount: sum(({ recycledCount }) => recycledCount),
    browsers: pools.flatMap(({ name, browsers }) => browsers.map(one => ({ ...one, worker: name }))),
    // Workers of an earlier version do not report seats, so the default is an empty list.
    seats: pools.flatMap(({ name, seats = [] }) => seats.map(one => ({ ...one, worker: name }))),
  }
}

export const fetches = ({ role }: WorkerHeartbeat): boolean => role.endsWith('-worker')

export const processes = ({ role }: WorkerHeartbeat): boolean => role === 'processor'

export const coordinates = ({ role }: WorkerHeartbeat): boolean => role === 'coordinator'
