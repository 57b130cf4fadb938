// A schedule: a recurring job, and its runs.
import * as z from 'zod'
import { id } from './ids.ts'
import type { Json } from './record.ts'

/** What happens to a tick that is due while the previous run has not ended. */
export const overlaps = ['skip', 'queue', 'cancel_previous', 'allow'] as const
type Overlap = (typeof overlaps)[number]

/** How a record differs between two runs. */
export const differences = ['new', 'changed', 'unchanged', 'gone'] as const
export type Difference = (typeof differences)[number]

/** One day. With a longer delay, users could not tell which tick a run belongs to. */
const mostJitterSeconds = 86_400

const changeable = {
  name: z.string().min(1).max(200),
  cron: z
    .string()
    .max(200)
    .describe(
      'A cron expression: minute, hour, day of month, month, day of week. With six fields, the first one is the seconds. Nicknames like `@daily` are allowed.',
    ),
  timeZone: z.string().min(1).max(100).describe('Like `Europe/Berlin`.'),
  job: z.record(z.string(), z.unknown()).describe('The body of `POST /jobs` for each run; without `job_id`.'),
  overlap: z.enum(overlaps).describe('What happens to a tick while the previous run has not ended.'),
  jitterS: z
    .number()
    .min(0)
    .max(mostJitterSeconds)
    .describe('Random delay of a run after its tick, up to this many seconds, and before the next tick.'),
  paused: z.boolean(),
}

/** The body of `POST /schedules`, in camelCase. */
export const scheduleBody = z.strictObject({
  scheduleId: id.optional(),
  ...changeable,
  overlap: changeable.overlap.default('skip'),
  jitterS: changeable.jitterS.default(0),
  paused: changeable.paused.default(false),
})
export type ScheduleBody = z.output<typeof scheduleBody>
export type ScheduleInput = z.input<typeof scheduleBody>

/** The body of `PATCH /schedules/{schedule_id}`: only given fields change. */
export const schedulePatch = z.strictObject(changeable).partial()
export type SchedulePatch = z.output<typeof schedulePatch>

export interface NewSchedule {
  id: string
  workspace: string
  name: string
  /** Five fields, or six with seconds, in `timeZone`. */
  cron: string
  timeZone: string
  /** The body of `POST /jobs` for each run, as the caller gave it. */
  job: { [field: string]: Json }
  overlap: Overlap
  /** The longest random delay of a run after its tick. */
  jitterMs: number
  paused: boolean
  /** The key that created the schedule. The jobs of its runs count towards the limits of this key. */
  keyId: string | null
  createdAt: number
  /** The next tick; null if there is none. */
  nextTick: number | null
  /** When the run of `nextTick` starts: the tick plus a random delay. */
  nextAt: number | null
}
export type Schedule = NewSchedule

export type ScheduleChange = Partial<
  Pick<
    Schedule,
    'name' | 'cron' | 'timeZone' | 'job' | 'overlap' | 'jitterMs' | 'paused' | 'keyId' | 'nextTick' | 'nextAt'
  >
>

/** Outcomes of a tick. A `queued` run waits for the end of the previous run, and then gets another outcome. */
export const runOutcomes = ['started', 'queued', 'skipped', 'failed'] as const
type RunOutcome = (typeof runOutcomes)[number]

/** The result of one tick. */
export interface ScheduleRun {
  scheduleId: string
  /** When the run was due (without jitter) or requested by hand. A schedule has at most one run per tick. */
  tick: number
  at: number
  outcome: RunOutcome
  /** The job of the run; null if no job was started. */
  jobId: string | null
  /** Why the run waits, was skipped, or failed. */
  reason: string | null
  /** Whether the run replaces ticks that were missed while the service was down. */
  catchUp: boolean
}

/** When a schedule is due next. */
export type NextTick = Pick<Schedule, 'nextTick' | 'nextAt'>
