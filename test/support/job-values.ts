// Jobs and their counts as plain values, for unit tests.
import { type Job, type JobCounts, type JobSpecInput, jobSpec } from '../../src/model/job.ts'
import type { TaskState } from '../../src/model/task.ts'

type JobChange = Partial<Omit<Job, 'spec' | 'ingest'>> & {
  spec?: JobSpecInput
  ingest?: Partial<Job['ingest']>
}

/** A completed list job of the default workspace, except for these changes. */
export function jobOf({ spec, ingest, ...change }: JobChange = {}): Job {
  return {
    ...{ id: 'job-1', kind: 'list', state: 'completed', reason: null, resumeAt: null },
    ...{ workspace: 'default', face: 'jobs', keyId: null, scheduleId: null, traceparent: null },
    ...{ createdAt: 0, startedAt: 0, finishedAt: 0 },
    spec: jobSpec.parse({ urls: ['https://shop.example/'], ...spec }),
    ingest: { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0, ...ingest },
    ...change,
  }
}

type CountsChange = Partial<Omit<JobCounts, 'byState'>> & { byState?: Partial<Record<TaskState, number>> }

/** Counts of a job that are all zero, except for these changes. */
export function countsOf({ byState, ...change }: CountsChange = {}): JobCounts {
  const none = { pending: 0, queued: 0, in_progress: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 }
  return {
    ...{
      tasks: 0,
      records: 0,
      bytes: 0,
      pages: 0,
      exactlyParsed: 0,
      rendered: 0,
      browserMs: 0,
      llmTokens: 0,
    },
    ...{ byReason: {}, linksRefused: {}, warnings: {}, ...change },
    byState: { ...none, ...byState },
  }
}
