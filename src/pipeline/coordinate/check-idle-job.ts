// A look at jobs that seem to have nothing to do: the store says what is really left, in case a count or a call was missed.
import { isIn } from '../../lib/shard-of.ts'
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'

export async function checkIdleJobs(desk: Desk): Promise<void> {
  countInFlight(desk)
  for (const running of desk.jobs.values()) await checkIdleJob(desk, running)
}

/** By what is really held: with one too many a job would never end. */
function countInFlight({ jobs, held }: Desk): void {
  for (const running of jobs.values()) running.inFlight = 0
  for (const { task } of held.values()) {
    const running = jobs.get(task.jobId)
    if (running) running.inFlight++
  }
}

/** The counts of this process and the dispatcher's work are hints. Where they say different things, the store is asked. */
async function checkIdleJob(desk: Desk, running: RunningJob): Promise<void> {
  const isIdle = running.inFlight === 0 && desk.dispatcher.workOf(running.id) === 0
  if (!isIdle || running.ingesting || running.open === 0) return
  await requeueLostTasks(desk, running)
  running.recount(await desk.store.jobs.counts(running.id))
  for (const { host, count } of await desk.store.tasks.pendingHosts(running.id, desk.shard))
    if (host !== parkedHost) desk.dispatcher.addWork(running.id, host, count)
}

/** Tasks that are leased to us and that nobody here has: an error came between the claim and the lanes. */
async function requeueLostTasks(desk: Desk, running: RunningJob): Promise<void> {
  const held = await desk.store.tasks.list(running.id, { states: ['queued', 'in_progress'] })
  const strays = held.filter(({ host }) => isIn(desk.shard, host))
  if (strays.length > 0) await desk.store.tasks.release(desk.settings.owner, strays)
}
