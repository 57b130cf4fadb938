// The last turns of a process that stops: callers who wait for an answer get it within the grace period.
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'

const isAwaited = ({ answerBy }: RunningJob): boolean => answerBy !== null

/** Other jobs start nothing more; what they have in hand finishes beside it. `turn` plans, commits and ends jobs once. */
export async function answerAwaited(desk: Desk, deadline: number, turn: () => Promise<void>): Promise<void> {
  for (const running of desk.jobs.values()) if (!isAwaited(running)) desk.dispatcher.suspend(running.id, null)
  while (desk.jobs.values().some(isAwaited) && Date.now() < deadline)
    await turn().catch(() => desk.clock.sleep(100))
}
