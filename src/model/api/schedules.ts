// Request and response schemas of the schedules API.
import * as z from 'zod'
import { id } from '../ids.ts'
import { jobStates } from '../job.ts'
import { differences, overlaps, runOutcomes, scheduleBody } from '../schedule.ts'

export const scheduleParams = z.object({ scheduleId: id })

export const newScheduleBody = scheduleBody.meta({
  examples: [
    {
      schedule_id: 'nightly',
      name: 'Every night',
      cron: '30 2 * * *',
      time_zone: 'Europe/Berlin',
      job: { seed_urls: ['https://example.com/'], depth: 1 },
      overlap: 'skip',
      jitter_s: 300,
    },
  ],
})

const time = z.string().describe('ISO 8601, in UTC.')
const localTime = z.string().describe('ISO 8601, with the offset of the time zone at that time.')

export const shownSchedule = z.object({
  scheduleId: z.string(),
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  job: z.record(z.string(), z.unknown()),
  overlap: z.enum(overlaps),
  jitterS: z.number(),
  paused: z.boolean(),
  createdAt: time,
  nextAt: time.nullable().describe('When the next run starts, with its jitter; null while it is paused.'),
  nextRuns: z.array(localTime).describe('The next five ticks. They do not run while the schedule is paused.'),
  links: z.object({ self: z.string(), runs: z.string(), compare: z.string(), jobs: z.string() }),
})

export const scheduleList = z.object({ schedules: z.array(shownSchedule), nextCursor: z.string().nullable() })

const jobOfRun = z.object({
  status: z.enum(jobStates),
  tasks: z.int().describe('All tasks of the job so far.'),
  succeeded: z.int().describe('Tasks that succeeded.'),
  failed: z.int().describe('Tasks that failed.'),
  skipped: z
    .int()
    .describe('Tasks that were skipped, such as duplicates and pages that robots.txt disallows.'),
  records: z.int().describe('Records that the tasks made.'),
})

export const shownRun = z.object({
  scheduleId: z.string(),
  tick: localTime.describe('When the run was due, or was requested by hand.'),
  at: time.describe('When the run got this state.'),
  outcome: z
    .enum(runOutcomes)
    .describe('What the schedule did at this tick. `job` has the result of a started run.'),
  jobId: z.string().nullable(),
  job: jobOfRun
    .nullable()
    .describe('State and counts of the job of this run; null if there is no job, or if it was deleted.'),
  reason: z.string().nullable().describe('Why the run waits, was skipped, or failed.'),
  catchUp: z.boolean().describe('The run replaces all ticks that were missed while the service was down.'),
})

export const runList = z.object({ runs: z.array(shownRun), nextCursor: z.string().nullable() })

const comparedRun = z.object({ jobId: z.string(), createdAt: time })
const recordData = z.object({ data: z.record(z.string(), z.unknown()) }).nullable()

export const comparison = z.object({
  scheduleId: z.string(),
  from: comparedRun,
  to: comparedRun,
  counts: z.record(z.enum(differences), z.int()),
  items: z.array(
    z.object({
      difference: z.enum(differences),
      itemId: z.string(),
      url: z.string(),
      before: recordData,
      after: recordData,
      fields: z.array(z.string()).optional().describe('Fields that differ, for a changed record.'),
      reason: z
        .string()
        .nullable()
        .optional()
        .describe(
          'For a removed record: how its item ended in the later run; null if the item does not occur there.',
        ),
    }),
  ),
  nextCursor: z.string().nullable(),
})

export type ScheduleShown = z.infer<typeof shownSchedule>
export type ScheduleRunShown = z.infer<typeof shownRun>
export type ComparisonPage = z.infer<typeof comparison>
export type ComparedItem = ComparisonPage['items'][number]
