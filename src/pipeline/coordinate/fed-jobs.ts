// Jobs whose tasks come from a queue of another system, message by message: they end when no message came for a while.
import { isFed } from '../../model/job.ts'
import type { Desk } from './desk.ts'
import { openOf, type RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'
import { isHome } from './shards.ts'

/** Where the settings say nothing. */
const usualIdleMs = 60_000

/** Runs every sweep. A later message opens the job again. */
export async function tendFedJob(desk: Desk, running: RunningJob): Promise<void> {
  if (!running.ingesting || !isFed(running.job.ingest) || !isHome(desk.shard, running.job)) return
  const now = desk.clock.now()
  running.fedAt ??= now
  const { queueIdleMs = usualIdleMs } = desk.settings
  if (running.open > 0 || running.inFlight > 0 || running.job.state !== 'running') return
  if (now - running.fedAt < queueIdleMs) return
  const counts = await desk.store.jobs.counts(running.id)
  if (openOf(counts) > 0) return findWork(desk, running)
  const ingest = { ...((await desk.store.jobs.get(running.id)) ?? running.job).ingest, done: true }
  await desk.store.tasks.add(running.id, [], ingest)
  running.job.ingest = ingest
  running.ingesting = false
}

/** An intake that was killed may have added tasks without telling anyone. */
async function findWork(desk: Desk, running: RunningJob): Promise<void> {
  running.recount(await desk.store.jobs.counts(running.id))
  for (const { host, count } of await desk.store.tasks.pendingHosts(running.id, desk.shard))
    if (host !== parkedHost) desk.dispatcher.addWork(running.id, host, count)
}
