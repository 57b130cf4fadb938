// The work of a cancelled job ends: its waits here, and its requests and pages in the lanes.
import { letsTasksFinish } from '../../model/job.ts'
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'

export function abortWork(desk: Pick<Desk, 'lanes'>, running: RunningJob): void {
  running.cancelled = true
  if (letsTasksFinish(running.job)) return
  running.endWaits()
  desk.lanes.cancelJob(running.id)
}
