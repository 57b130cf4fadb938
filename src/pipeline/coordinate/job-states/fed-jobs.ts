// Jobs whose tasks come from a message queue of another system. They end if no message arrives for a while.
import { isFed } from '../../../model/job.ts'
import type { CoordinatorContext } from '../context.ts'
import { openOf, type RunningJob } from '../running-job.ts'
import { findWork } from './check-idle-job.ts'

/** Dependencies for the check of a job that a queue feeds. */
export type FedJobContext = Pick<CoordinatorContext, 'clock' | 'store' | 'dispatcher' | 'shards' | 'settings'>

/** The default of `queueIdleMs`. */
const usualIdleMs = 60_000

/** Runs in every sweep. Ends the intake of the job if it is idle; a later message reopens the job. */
export async function checkFedJob(context: FedJobContext, running: RunningJob): Promise<void> {
  if (!running.ingesting || !isFed(running.job.ingest) || !context.shards.isHome(running.job)) return
  const now = context.clock.now()
  const { queueIdleMs = usualIdleMs } = context.settings
  const isIdle = running.inFlight === 0 && context.dispatcher.workOf(running.id) === 0
  if (!isIdle || running.job.state !== 'running') return
  if (now - (running.lastAddedAt ?? running.adoptedAt) < queueIdleMs) return
  // The count in memory may be wrong. If this process adopted the job after the commit of a task and before its
  // notification, the count is too high. If the intake died before the notification, the count is too low.
  const counts = await context.store.jobs.counts(running.id)
  if (openOf(counts) > 0) return findWork(context, running)
  running.recount(counts)
  const ingest = { ...((await context.store.jobs.get(running.id)) ?? running.job).ingest, done: true }
  await context.store.tasks.add(running.id, [], ingest)
  running.sourceEnded(ingest)
}
