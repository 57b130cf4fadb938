// Tasks of a job that other processes have under way already: the coordinator before this one handed them out.
import { isIn } from '../../lib/shard-of.ts'
import type { CoordinatorContext } from './context.ts'
import { type HostStateContext, loadHostStates } from './load-host-state.ts'
import type { RunningJob } from './running-job.ts'

/** What counting tasks of an earlier leader needs. */
export type ResumeContext = HostStateContext & Pick<CoordinatorContext, 'inFlight' | 'shard' | 'clock'>

const readAtOnce = 1_000

/** They hold their places at the hosts until they are heard of, or missed. */
export async function resumeInFlightTasks(context: ResumeContext, running: RunningJob): Promise<void> {
  for (let after = 0; ; ) {
    const options = { states: ['queued' as const, 'in_progress' as const], after, limit: readAtOnce }
    const tasks = await context.store.tasks.list(running.id, options)
    if (tasks.length > 0) running.suspectOrphans()
    const own = tasks.filter(({ host }) => isIn(context.shard, host))
    await loadHostStates(
      context,
      own.map(({ host }) => host),
    )
    for (const task of own) {
      context.hosts.occupy(task.host)
      context.inFlight.add({ task, slot: true, sentAt: context.clock.now() })
    }
    if (tasks.length < readAtOnce) return
    after = tasks.at(-1)!.n
  }
}
