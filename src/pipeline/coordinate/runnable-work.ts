// Runnable work, for autoscalers: tasks in flight, and tasks that may start within a minute under rates, hours and breakers.
import type { BacklogCounts, StoredTasks } from '../../ports/backlog.ts'
import type { CoordinatorContext } from './context.ts'
import { noHealthyProxy } from './job-identities.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for counting runnable work. */
type BacklogContext = Pick<CoordinatorContext, 'jobs' | 'inFlight' | 'dispatcher' | 'clock' | 'shards'>

/** Tasks that start within this time count as runnable. An autoscaler needs about this long to start a worker. */
export const runnableAheadMs = 60_000

/** Counting stops at this number of tasks per job. No autoscaler needs more, and a job may have millions of hosts. */
const mostCounted = 200_000

export type RunnableWork = Omit<BacklogCounts, 'ingest'>

export const noWork: RunnableWork = { http: 0, browser: 0, process: 0 }

/** The runnable work at the hosts of this coordinator. `stored` may be stale or empty. Tasks in flight are counted from
 *  memory, not from `stored`. */
export function runnableWork(context: BacklogContext, stored: readonly StoredTasks[]): RunnableWork {
  const own = stored.filter(({ jobId, host }) => context.jobs.has(jobId) && context.shards.leads(host))
  const byJob = Map.groupBy(own, ({ jobId }) => jobId)
  const parts = context.jobs.values().map(job => soonOf(context, job, byJob.get(job.id) ?? []))
  return [...parts, inHand(context)].reduce(plus, noWork)
}

function inHand({ inFlight }: BacklogContext): RunnableWork {
  const browser = inFlight.values().reduce((sum, { task }) => sum + Number(task.way === 'browser'), 0)
  return { http: inFlight.size - browser, browser, process: inFlight.size }
}

function soonOf({ dispatcher, clock }: BacklogContext, job: RunningJob, stored: StoredTasks[]): RunnableWork {
  if (job.job.reason === noHealthyProxy) return checksOf(job)
  const now = clock.now()
  const span = { now, until: now + runnableAheadMs }
  const later = new Map(stored.flatMap(({ host, later }) => (later > 0 ? [[host, later] as const] : [])))
  const rendered = new Map(stored.map(one => [one.host, one.rendered]))
  const soon = { http: 0, browser: 0, process: 0 }
  for (const { host, count, known } of dispatcher.dueSoon(job.id, span, later)) {
    const browser = job.render === 'always' ? known : Math.min(known, rendered.get(host) ?? 0)
    // The order of the tasks is unknown. So each fetch mode is counted as if its tasks ran first.
    soon.browser += Math.min(count, browser)
    soon.http += Math.min(count, known - browser)
    soon.process += count
    if (soon.process >= mostCounted) break
  }
  const most = job.allowanceUntil(span.until)
  return {
    http: Math.min(most, soon.http),
    browser: Math.min(most, soon.browser),
    process: Math.min(most, soon.process),
  }
}

/** A job that waits for a healthy proxy counts as one task, because only a running worker can check proxies. */
const checksOf = ({ render }: RunningJob): RunnableWork =>
  render === 'always' ? { ...noWork, browser: 1 } : { ...noWork, http: 1 }

export const plus = (a: RunnableWork, b: RunnableWork): RunnableWork => ({
  http: a.http + b.http,
  browser: a.browser + b.browser,
  process: a.process + b.process,
})
