// Reads totals of all jobs from the store. They are empty while the store is unavailable.
import { systemClock } from '../../lib/clocks.ts'
import type { Store } from '../../ports/store.ts'
import type { LiveMetrics } from './group.ts'
import { inTime } from './in-time.ts'

/** Totals of the store. `inFlight` is the number of tasks in flight in this process. Tasks in flight do not count as
 *  waiting. */
export const storedMetrics = (store: Known, inFlight = 0): Promise<Partial<Stored>> =>
  inTime(read(store, inFlight), {})

type Known = Pick<Store, 'jobs' | 'tasks'>
type Stored = Pick<LiveMetrics, 'jobs' | 'queueDepth' | 'tasks' | 'nextRetrySeconds'>

async function read(store: Known, inFlight: number): Promise<Stored> {
  const [load, retryAt] = await Promise.all([store.jobs.load(), store.tasks.nextWake()])
  return {
    ...{ jobs: load.jobs, queueDepth: Math.max(0, load.tasks - inFlight), tasks: load.byState },
    nextRetrySeconds: Math.max(0, (retryAt ?? 0) - systemClock.now()) / 1_000,
  }
}
