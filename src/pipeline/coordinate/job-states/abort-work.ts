// Aborts the work of a cancelled job: its waits in the coordinator, and its requests and pages in the lanes.
import { letsTasksFinish } from '../../../model/job.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'

/** Dependencies for aborting the work of a job. */
export type AbortContext = Pick<CoordinatorContext, 'lanes'>

export function abortWork(context: AbortContext, running: RunningJob): void {
  running.cancel()
  if (letsTasksFinish(running.job)) return
  running.endWaits()
  context.lanes.cancelJob(running.id)
}
