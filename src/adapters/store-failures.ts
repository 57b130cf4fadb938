// Failures that every store throws in the same form.
import { Failure } from '../model/failures.ts'

export const unknownJob = (jobId: string): Failure =>
  new Failure('job.unknown', `There is no job "${jobId}": \`kscrape jobs list\` lists the jobs`, {
    jobId,
  })

export const jobExists = (jobId: string): Failure =>
  new Failure(
    'job.exists',
    `There is already a job "${jobId}": choose another id, or delete that job first`,
    {
      jobId,
    },
  )

export const scheduleExists = (scheduleId: string): Failure =>
  new Failure(
    'schedule.exists',
    `There is already a schedule "${scheduleId}": choose another id, or change that one`,
    { scheduleId },
  )

export const unknownCursor = (cursor: string): Failure =>
  new Failure(
    'cursor.unknown',
    `cursor "${cursor}" is not valid, or its entry was deleted; start without a cursor`,
    { path: 'cursor' },
  )
