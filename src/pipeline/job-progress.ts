// How a job stands, for whoever shows it.
import type { WaitSummary } from '../dispatch/dispatcher.ts'
import type { Job, JobCounts } from '../model/job.ts'

export interface JobProgress {
  job: Job
  counts: JobCounts
  inFlight: number
  /** Hosts that have tasks which run or could run. */
  hosts: number
  waiting: WaitSummary
  /** Tasks that failed and will be tried again, and when the first of them is due. */
  retries: { tasks: number; nextAt: number | null }
}
