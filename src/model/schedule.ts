// A schedule: a job that is run again and again, and each of its runs.
import type { Json } from './record.ts'

/** What happens to a tick whose predecessor still runs. */
export const overlaps = ['skip', 'queue', 'cancel_previous', 'allow'] as const
export type Overlap = (typeof overlaps)[number]

export interface NewSchedule {
  id: string
  workspace: string
  name: string
  /** Five fields, or six with seconds, in `timeZone`. */
  cron: string
  timeZone: string
  /** The body of `POST /jobs` that each run is made from, as it was given. */
  job: { [field: string]: Json }
  overlap: Overlap
  /** A run starts up to so much later than its tick, at random. */
  jitterMs: number
  paused: boolean
  /** The key that made it: its runs are accounted to it. */
  keyId: string | null
  createdAt: number
  /** The tick that comes next; null when there is none any more. */
  nextTick: number | null
  /** When that tick is acted on: the tick with its jitter. */
  nextAt: number | null
}
export type Schedule = NewSchedule

export type ScheduleChange = Partial<
  Pick<
    Schedule,
    'name' | 'cron' | 'timeZone' | 'job' | 'overlap' | 'jitterMs' | 'paused' | 'keyId' | 'nextTick' | 'nextAt'
  >
>

/** `queued` waits for the run before it to end, and becomes one of the others then. */
export const runOutcomes = ['started', 'queued', 'skipped', 'failed'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** What became of one tick. */
export interface ScheduleRun {
  scheduleId: string
  /** When it was due by the clock, without jitter, or asked for by hand: there is one run for it, ever. */
  tick: number
  at: number
  outcome: RunOutcome
  /** The job it started. */
  jobId: string | null
  /** Why it waits, was skipped, or failed. */
  reason: string | null
  /** It stands for ticks that passed while nobody was there. */
  catchUp: boolean
}

/** When a schedule is due next. */
export type NextTick = Pick<Schedule, 'nextTick' | 'nextAt'>
