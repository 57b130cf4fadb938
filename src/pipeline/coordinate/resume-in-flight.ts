// Tasks of a job that other processes have under way already: the coordinator before this one handed them out.
import { isIn } from '../../lib/shard-of.ts'
import type { Desk } from './desk.ts'
import { heldKey } from './desk.ts'
import { loadHostStates } from './load-host-state.ts'
import type { RunningJob } from './running-job.ts'

const readAtOnce = 1_000

/** They hold their places at the hosts until they are heard of, or missed. */
export async function resumeInFlightTasks(desk: Desk, running: RunningJob): Promise<void> {
  for (let after = 0; ; ) {
    const options = { states: ['queued' as const, 'in_progress' as const], after, limit: readAtOnce }
    const tasks = await desk.store.tasks.list(running.id, options)
    if (tasks.length > 0) running.mayHaveOrphans = true
    const own = tasks.filter(({ host }) => isIn(desk.shard, host))
    await loadHostStates(
      desk,
      own.map(({ host }) => host),
    )
    for (const task of own) {
      desk.hosts.occupy(task.host)
      desk.held.set(heldKey(task), { task, slot: true, sentAt: desk.clock.now() })
      running.inFlight++
    }
    if (tasks.length < readAtOnce) return
    after = tasks.at(-1)!.n
  }
}
