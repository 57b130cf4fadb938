// Activity: what was counted when attempts ended, by second for one job and by hour for all jobs.
import type { Reason } from '../model/task.ts'

export interface StepCount {
  /** When the step begins, in ms. */
  at: number
  outcome: Reason
  attempts: number
}

export interface HourCount extends StepCount {
  pages: number
  records: number
}

/** Attempts at one host that ended in the same way. */
export interface HostFailures {
  host: string
  outcome: Reason
  attempts: number
  /** The latest job that has such an attempt. */
  jobId: string
}

/** Jobs of the workspace (all workspaces without one), from this time on. */
interface ActivityFilter {
  workspace?: string
  from: number
}

export interface ActivityStore {
  /** Begin of the first and the last second in which an attempt of the job ended; null before the first one. */
  span(jobId: string): Promise<{ first: number; last: number } | null>
  /** All attempts of the job in steps of `stepMs` that begin at `first`, oldest first. Steps without an attempt are missing. */
  steps(jobId: string, options: { first: number; stepMs: number }): Promise<StepCount[]>
  /** By hour and outcome, oldest first. */
  hours(filter: ActivityFilter): Promise<HourCount[]>
  /** Attempts that did not succeed, by host and outcome, most first. */
  failures(filter: ActivityFilter & { limit: number }): Promise<HostFailures[]>
}
