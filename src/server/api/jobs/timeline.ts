// GET /jobs/{id}/timeline: ended attempts over time, by outcome.

import * as z from 'zod'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import type { StepCount } from '../../../ports/activity.ts'
import { isoTime, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams } from './schemas.ts'

/** The shortest step. */
const leastStepMs = 1_000

const timeline = z.object({
  jobId: z.string(),
  from: z.string().nullable().describe('Start of the first step; null if no attempt has ended.'),
  stepMs: z.int(),
  tasks: z.int().describe('All tasks.'),
  steps: z.array(
    z.object({
      at: z.string(),
      byReason: z.record(z.string(), z.number()).describe('Number of attempts by outcome.'),
    }),
  ),
})

export function addTimeline(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/timeline',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get ended attempts over time',
        description: 'Every attempt is counted when it ends. Steps without attempts are left out.',
        params: jobParams,
        querystring: z.strictObject({ steps: z.coerce.number().int().min(10).max(500).default(120) }),
        response: { 200: timeline, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return timelineOf(server, job, request.query.steps)
    },
  )
}

export async function timelineOf({ parts }: Server, job: Job, wanted: number) {
  const { activity, jobs } = parts.store
  const { tasks } = await jobs.counts(job.id)
  const span = await activity.span(job.id)
  const told = { jobId: chosenId(job.id), tasks }
  if (span === null) return { ...told, stepMs: leastStepMs, from: null, steps: [] }
  const { first, last } = span
  const lengthMs = last - first + leastStepMs
  const stepMs = Math.max(leastStepMs, Math.ceil(lengthMs / wanted / leastStepMs) * leastStepMs)
  const counts = await activity.steps(job.id, { first, stepMs })
  return { ...told, stepMs, from: isoTime(first), steps: stepsOf(counts) }
}

const stepsOf = (counts: readonly StepCount[]) =>
  [...Map.groupBy(counts, ({ at }) => at)].map(([at, own]) => ({
    at: isoTime(at),
    byReason: Object.fromEntries(own.map(({ outcome, attempts }) => [outcome, attempts])),
  }))
