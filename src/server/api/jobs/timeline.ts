// GET /jobs/{id}/timeline: ended attempts over time, by outcome.

import * as z from 'zod'
import { jobTimeline } from '../../../model/api/job-reports.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import type { StepCount } from '../../../ports/activity.ts'
import type { App } from '../../app.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

/** The shortest step, in milliseconds. */
const leastStepMs = 1_000

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
        response: { 200: jobTimeline, 404: problemSchema },
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
