// What a webhook says of a job that ended: how it ended, its figures, and what it brought where that is little enough.

import { chosenId } from '../model/ids.ts'
import type { Job, JobCounts, JobState } from '../model/job.ts'
import { mapKeys, snake } from '../model/letter-case.ts'

/** Jobs with more tasks than this are told of by their summary. */
export const mostTasksInFull = 100
/** A receiver that takes what a hundred pages usually hold need not take what they might. */
export const mostResultBytes = 4_194_304

/** How a job ends, before the store knows. */
export interface Ending {
  job: Job
  state: JobState
  reason: string | null
  at: number
}

const leftOut = {
  'too-many-tasks': `the job has more than ${mostTasksInFull} tasks`,
  'too-long': `they are longer than ${mostResultBytes} bytes`,
}
type LeftOut = keyof typeof leftOut

/** With what the job brought, or why that is not sent. */
export function webhookBody(ending: Ending, counts: JobCounts, results: unknown[] | LeftOut): string {
  const told = textOf(results)
  const why = told in leftOut ? (told as LeftOut) : null
  const facts = {
    jobId: chosenId(ending.job.id),
    status: ending.state,
    summary: summaryOf(ending, counts, why),
  }
  // The results are JSON already, and go in as they were measured.
  return `${JSON.stringify(mapKeys(facts, snake)).slice(0, -1)},"results":${why ? 'null' : told}}`
}

function textOf(results: unknown[] | LeftOut): string | LeftOut {
  if (typeof results === 'string') return results
  const text = JSON.stringify(mapKeys(results, snake))
  return Buffer.byteLength(text) > mostResultBytes ? 'too-long' : text
}

function summaryOf({ job, reason, at }: Ending, counts: JobCounts, why: LeftOut | null) {
  const { tasks, records, pages, bytes, byState, byReason } = counts
  const { face, scheduleId, spec, createdAt, startedAt } = job
  return {
    ...{ tasks, records, pages, bytes, byState, byReason, reason },
    ...{ face, scraperId: spec.scraperId, scheduleId, labels: spec.labels },
    createdAt: isoTime(createdAt),
    startedAt: startedAt === null ? null : isoTime(startedAt),
    finishedAt: isoTime(at),
    durationSeconds: (at - (startedAt ?? createdAt)) / 1_000,
    ...(why && { resultsLeftOut: `${leftOut[why]}; GET /jobs/${job.id}/results has them` }),
  }
}

const isoTime = (at: number): string => new Date(at).toISOString()
