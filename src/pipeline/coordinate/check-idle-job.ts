// Checks jobs that seem to have no work. If a count or a message was lost, the store still has the open tasks.
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'

/** Dependencies for the check for lost work. */
type IdleCheckContext = Pick<CoordinatorContext, 'jobs' | 'store' | 'dispatcher' | 'shards' | 'settings'>

export async function checkIdleJobs(context: IdleCheckContext): Promise<void> {
  for (const running of context.jobs.values()) await checkIdleJob(context, running)
}

/** The counts in memory are hints. If a job has open tasks but the dispatcher has no work for it, the store decides. */
async function checkIdleJob(context: IdleCheckContext, running: RunningJob): Promise<void> {
  const isIdle = running.inFlight === 0 && context.dispatcher.workOf(running.id) === 0
  if (!isIdle || running.ingesting || running.open === 0) return
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

/** Requeues tasks that are leased but not in flight. Such tasks exist if an error happened after the claim, before the task
 *  reached a lane. */
async function requeueLostTasks(context: IdleCheckContext, running: RunningJob): Promise<void> {
  const held = await context.store.tasks.list(running.id, { states: ['queued', 'in_progress'] })
  const strays = held.filter(({ host }) => context.shards.leads(host))
  if (strays.length > 0) await context.store.tasks.release(context.settings.owner, strays)
}
