// What the store knows of all jobs together; nothing of it while the store is away.
import type { Store } from '../../ports/store.ts'
import type { LiveFigures } from './group.ts'
import { inTime } from './in-time.ts'

/** `inFlight`: tasks that are in hand here, and do not wait. */
export const storedFigures = (
  store: Pick<Store, 'jobs'>,
  inFlight = 0,
): Promise<Partial<Pick<LiveFigures, 'jobs' | 'queueDepth' | 'tasks'>>> => inTime(read(store, inFlight), {})

async function read({ jobs }: Pick<Store, 'jobs'>, inFlight: number) {
  const [load, tasks] = await Promise.all([jobs.load(), jobs.tally()])
  return { jobs: load.jobs, queueDepth: Math.max(0, load.tasks - inFlight), tasks }
}
