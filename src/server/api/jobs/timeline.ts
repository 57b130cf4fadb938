// GET /jobs/{id}/timeline: ended attempts over time, by outcome.

import * as z from 'zod'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import type { Outcome } from '../../../ports/store.ts'
import { isoTime, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams } from './schemas.ts'

/** Larger jobs are sampled: the response time must not grow with the job. */
const mostTasks = 2_500
/** The shortest step. */
const leastStepMs = 1_000

const timeline = z.object({
  jobId: z.string(),
  from: z.string().nullable().describe('Start of the first step; null if no attempt has ended.'),
  stepMs: z.int(),
  tasks: z.int().describe('All tasks.'),
  sampled: z.int().describe('Sampled tasks. If fewer than all, the counts are scaled up.'),
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
        description: `Steps without attempts are left out. For a job with more than ${mostTasks.toLocaleString('en')} tasks, that many evenly spaced tasks are sampled.`,
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

async function timelineOf({ parts }: Server, job: Job, wanted: number) {
  const { tasks } = await parts.store.jobs.counts(job.id)
  const numbers = spread(tasks)
  const outcomes = await parts.store.tasks.outcomes(job.id, numbers)
  const scale = numbers.length === 0 ? 1 : tasks / numbers.length
  const times = outcomes.map(({ endedAt }) => endedAt)
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY)
  const last = times.reduce((most, time) => Math.max(most, time), 0)
  const stepMs = Math.max(leastStepMs, Math.ceil((last - first + 1) / wanted / 1_000) * 1_000)
  return {
    ...{ jobId: chosenId(job.id), stepMs, tasks, sampled: numbers.length },
    from: outcomes.length === 0 ? null : isoTime(first),
    steps: outcomes.length === 0 ? [] : stepsOf(outcomes, { first, stepMs, scale }),
  }
}

/** All task numbers, or a sample at equal distances. */
function spread(tasks: number): number[] {
  const count = Math.min(tasks, mostTasks)
  return Array.from({ length: count }, (_, index) => 1 + Math.floor((index * tasks) / count))
}

function stepsOf(
  outcomes: readonly Outcome[],
  { first, stepMs, scale }: { first: number; stepMs: number; scale: number },
) {
  const steps = new Map<number, Record<string, number>>()
  for (const { endedAt, outcome } of outcomes) {
    const at = first + Math.floor((endedAt - first) / stepMs) * stepMs
    const step = steps.get(at) ?? {}
    step[outcome] = (step[outcome] ?? 0) + scale
    steps.set(at, step)
  }
  return [...steps]
    .sort(([one], [other]) => one - other)
    .map(([at, byReason]) => ({ at: isoTime(at), byReason }))
}
