// Activity: what was counted when attempts ended, by second for one job and by hour for all jobs.
import type { Reason } from '../model/task.ts'

export interface StepCount {
  /** When the step begins, in ms. */
  at: number
  outcome: Reason
  attempts: number
}

export interface HourCount extends StepCount {
  /** '' for attempts that succeeded: only failures are counted by host. */
  host: string
  pages: number
  records: number
}

export interface ActivityStore {
  /** Begin of the first and the last second in which an attempt of the job ended; null before the first one. */
  span(jobId: string): Promise<{ first: number; last: number } | null>
  /** All attempts of the job in steps of `stepMs` that begin at `first`, oldest first. Steps without an attempt are missing. */
  steps(jobId: string, options: { first: number; stepMs: number }): Promise<StepCount[]>
  /** Over all jobs of the workspace (all workspaces without one), from this hour on, oldest first. */
  hours(options: { workspace?: string; from: number }): Promise<HourCount[]>
}
