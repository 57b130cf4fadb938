// Activity: counts of ended attempts, by second for one job and by hour for all jobs.
import type { Reason } from '../model/task.ts'

export interface StepCount {
  /** Start of the step, in epoch ms. */
  at: number
  outcome: Reason
  attempts: number
}

export interface HourCount extends StepCount {
  pages: number
  records: number
}

/** Attempts at one host that ended with the same outcome. */
export interface HostFailures {
  host: string
  outcome: Reason
  attempts: number
  /** The latest job with an attempt that had this outcome. */
  jobId: string
}

export interface JobActivity {
  jobId: string
  attempts: number
  pages: number
  records: number
}

/** The sums of all jobs, and the jobs with the highest counts. */
export interface JobsActivity extends Omit<JobActivity, 'jobId'> {
  jobCount: number
  jobs: JobActivity[]
}

interface JobsActivityFilter extends ActivityFilter {
  /** Which count orders the jobs. Jobs with a count of 0 are left out. */
  by: 'attempts' | 'pages' | 'records'
  limit: number
  /** Only attempts at this host. Attempts that succeeded have no host. */
  host?: string
  /** Only attempts with one of these outcomes. */
  outcomes?: readonly Reason[]
}

interface ActivityFilter {
  /** Unset: all workspaces. */
  workspace?: string
  /** Only attempts that ended at this time (epoch ms) or later. */
  from: number
}

export interface ActivityStore {
  /** The first and the last second in which an attempt of the job ended, as epoch ms. Null if no attempt has ended. */
  span(jobId: string): Promise<{ first: number; last: number } | null>
  /** All attempts of the job in steps of `stepMs` that begin at `first`, oldest first. Steps without an attempt are missing. */
  steps(jobId: string, options: { first: number; stepMs: number }): Promise<StepCount[]>
  /** Counts by hour and outcome, oldest first. */
  hours(filter: ActivityFilter): Promise<HourCount[]>
  /** Attempts that did not succeed, by host and outcome, most first. */
  failures(filter: ActivityFilter & { limit: number }): Promise<HostFailures[]>
  /** Counts by job, most first. The sums equal those of `hours` and `failures` for the same filter. */
  jobs(filter: JobsActivityFilter): Promise<JobsActivity>
}
