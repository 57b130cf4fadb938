// A schedule: a job that is run again and again, and each of its runs.
import * as z from 'zod'
import { id } from './ids.ts'
import type { Json } from './record.ts'

/** What happens to a tick whose predecessor still runs. */
export const overlaps = ['skip', 'queue', 'cancel_previous', 'allow'] as const
export type Overlap = (typeof overlaps)[number]

/** A day: longer, and a run would hardly belong to its tick any more. */
const mostJitterSeconds = 86_400

const changeable = {
  name: z.string().min(1).max(200),
  cron: z
    .string()
    .max(200)
    .describe(
      'Minute, hour, day of month, month, day of week; six fields have seconds in front. Or a nickname like `@daily`.',
    ),
  timeZone: z.string().min(1).max(100).describe('Like `Europe/Berlin`.'),
  job: z
    .record(z.string(), z.unknown())
    .describe('The body of `POST /jobs` that each run is made from; without `job_id`.'),
  overlap: z.enum(overlaps).describe('What happens to a tick whose predecessor still runs.'),
  jitterS: z
    .number()
    .min(0)
    .max(mostJitterSeconds)
    .describe('A run starts up to so many seconds after its tick, at random, and before the next one.'),
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

/** The body of `PATCH /schedules/{schedule_id}`: what is given is changed. */
export const schedulePatch = z.strictObject(changeable).partial()
export type SchedulePatch = z.output<typeof schedulePatch>

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
