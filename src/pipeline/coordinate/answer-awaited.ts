// The last turns of a process that stops: callers who wait for an answer get it within the grace period.
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'

/** What the last turns of a stopping process need. */
export type DrainContext = Pick<CoordinatorContext, 'jobs' | 'dispatcher' | 'clock'>

const isAwaited = ({ answerBy }: RunningJob): boolean => answerBy !== null

/** Other jobs start nothing more; what they have in hand finishes beside it. `turn` plans, commits and ends jobs once. */
export async function answerAwaited(
  context: DrainContext,
  deadline: number,
  turn: () => Promise<void>,
): Promise<void> {
  for (const running of context.jobs.values())
    if (!isAwaited(running)) context.dispatcher.suspend(running.id, null)
  while (context.jobs.values().some(isAwaited) && Date.now() < deadline)
    await turn().catch(() => context.clock.sleep(100))
}
