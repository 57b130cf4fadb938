// The progress of a job, for the API and the CLI.
import type { WaitSummary } from '../../dispatch/dispatcher.ts'
import type { JobBreakerState } from '../../dispatch/job-breaker.ts'
import type { Job, JobCounts } from '../../model/job.ts'
import { type JobPace, paceWithin } from '../../model/policy/pace.ts'
import type { Store } from '../../ports/store.ts'
import type { CoordinatorContext } from '../coordinate/context.ts'

export interface JobProgress {
  job: Job
  counts: JobCounts
  inFlight: number
  /** Hosts with tasks that run or could run. */
  hosts: number
  waiting: WaitSummary
  /** The rate of the job, what limits it, and the time that the known tasks take. Null if no known task waits. */
  pace: JobPace | null
  /** Tasks that failed and will be tried again, and when the first of them is due. */
  retries: { tasks: number; nextAt: number | null }
  /** The breaker of the job; null if no coordinator runs the job. */
  breaker?: JobBreakerState | null
}

/** Dependencies for reporting the progress of a job. */
type ProgressContext = Pick<CoordinatorContext, 'store' | 'dispatcher' | 'jobs' | 'clock'>

/** The progress as far as it is in the store, for a job that this process does not run. */
export async function storedProgress({ jobs, tasks }: Store, job: Job): Promise<JobProgress> {
  const counts = await jobs.counts(job.id)
  const nextAt = await tasks.nextWake(job.id)
  return {
    ...{ job, counts, inFlight: 0, hosts: 0, waiting: [], pace: null, breaker: null },
    retries: { tasks: nextAt === null ? 0 : Math.max(1, counts.byState.pending), nextAt },
  }
}

export async function progressOf(
  { store, dispatcher, jobs, clock }: ProgressContext,
  job: Job,
): Promise<JobProgress> {
  const stored = await storedProgress(store, job)
  const now = clock.now()
  const running = jobs.get(job.id)
  const inFlight = running?.inFlight ?? 0
  const { nextAt, tasks } = stored.retries
  const pagesLeft = (job.spec.maxPages ?? Number.POSITIVE_INFINITY) - stored.counts.pages
  return {
    ...{ ...stored, inFlight },
    hosts: Math.max(dispatcher.hostsOf(job.id), Math.min(1, inFlight)),
    waiting: dispatcher.waiting(now, job.id),
    pace: paceWithin(dispatcher.paceOf(job.id, now), pagesLeft),
    retries: { tasks: nextAt === null ? 0 : Math.max(1, tasks - dispatcher.workOf(job.id)), nextAt },
    breaker: running?.breaker.summary(now) ?? null,
  }
}

/** Joins the progress reports of several coordinators. Each reports its own hosts. */
export function joinProgress(parts: readonly JobProgress[]): JobProgress {
  const [first] = parts
  const waiting = Map.groupBy(
    parts.flatMap(part => part.waiting),
    ({ reason }) => reason,
  )
  return {
    ...first!,
    inFlight: sum(parts.map(({ inFlight }) => inFlight)),
    hosts: sum(parts.map(({ hosts }) => hosts)),
    waiting: [...waiting.values()].map(joinWaits),
    pace: joinPaces(parts.map(({ pace }) => pace)),
    retries: { ...first!.retries, tasks: Math.min(...parts.map(({ retries }) => retries.tasks)) },
  }
}

/** Shards have different hosts: their rates add up, and the slowest shard decides the time. */
function joinPaces(paces: ReadonlyArray<JobPace | null>): JobPace | null {
  const known = paces.filter(pace => pace !== null && pace !== undefined)
  const [slowest] = known.toSorted((a, b) => b.leftMs - a.leftMs)
  if (!slowest) return null
  const rates = known.map(({ perSecond }) => perSecond)
  return { ...slowest, perSecond: rates.includes(null) ? null : sum(rates as number[]) }
}

const joinWaits = (waits: JobProgress['waiting']): JobProgress['waiting'][number] => ({
  ...waits[0]!,
  hosts: sum(waits.map(({ hosts }) => hosts)),
  tasks: sum(waits.map(({ tasks }) => tasks)),
  nextAt: earliest(waits.map(({ nextAt }) => nextAt)),
})

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

const earliest = (times: Array<number | null>): number | null => {
  const known = times.filter(time => time !== null)
  return known.length > 0 ? Math.min(...known) : null
}
