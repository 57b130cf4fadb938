// Checks jobs that seem to have no work. If a count or a message was lost, their open tasks are still in the store.
import { isFed } from '../../../model/job.ts'
import { leasedStates } from '../../../model/task.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'
import { parkedHost } from '../settle/settle.ts'

/** Dependencies for the check for lost work. */
type IdleCheckContext = Pick<CoordinatorContext, 'jobs' | 'store' | 'dispatcher' | 'shards' | 'settings'>

export async function checkIdleJobs(context: IdleCheckContext): Promise<void> {
  for (const running of context.jobs.values()) await checkIdleJob(context, running)
}

/** The counts in memory may be wrong. If a job has open tasks but the dispatcher has no work for it, reads the work
 *  from the store. */
async function checkIdleJob(context: IdleCheckContext, running: RunningJob): Promise<void> {
  const isIdle = running.inFlight === 0 && context.dispatcher.workOf(running.id) === 0
  const isReading = running.ingesting && !isFed(running.job.ingest)
  if (!isIdle || isReading || running.open === 0) return
  await requeueLostTasks(context, running)
  await findWork(context, running)
}

/** Reads the counts and the hosts with work from the store. Messages about them may have been lost. */
export async function findWork(
  { store, dispatcher, shards }: Pick<CoordinatorContext, 'store' | 'dispatcher' | 'shards'>,
  running: RunningJob,
): Promise<void> {
  running.recount(await store.jobs.counts(running.id))
  for (const { host, count } of await store.tasks.pendingHosts(running.id, shards.filter))
    if (host !== parkedHost) dispatcher.addWork(running.id, host, count)
}

/** Requeues tasks that are leased but not in flight. This happens if an error occurs after a task was claimed and
 *  before it reached a lane. */
async function requeueLostTasks(context: IdleCheckContext, running: RunningJob): Promise<void> {
  const held = await context.store.tasks.list(running.id, { states: [...leasedStates] })
  const strays = held.filter(({ host }) => context.shards.leads(host))
  if (strays.length > 0) await context.store.tasks.release(context.settings.owner, strays)
}
