// GET /jobs/{id}/failure-metrics: the counts that decide whether the breaker pauses a job.
import * as z from 'zod'
import { jobParams } from '../../../model/api/jobs.ts'
import { chosenId } from '../../../model/ids.ts'
import type { App } from '../../app.ts'
import { isoTime, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

const failureMetrics = z.object({
  jobId: z.string(),
  status: z.string(),
  totalCount: z.int(),
  successCount: z.int(),
  errorCount: z.int(),
  failureRate: z
    .number()
    .describe('Share of failed tasks among those that succeeded or failed; 0 if there are none.'),
  breaker: z
    .object({
      state: z.enum(['closed', 'open', 'half_open']),
      consecutiveFailures: z.int(),
      recentTasks: z.int().describe('Number of recent tasks in the failure share.'),
      recentFailures: z.int(),
      openUntil: z.string().nullable(),
    })
    .nullable()
    .describe('State of the breaker; null while no process runs the job.'),
})

export function addFailureMetrics(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/failure-metrics',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the failure rate and the breaker of a job',
        description:
          'The breaker pauses the job after 20 failures in a row, or when half of the recent tasks failed. The policy of the job can change these values.',
        params: jobParams,
        response: { 200: failureMetrics, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { counts, breaker } = await server.parts.engine.progress(job.id)
      const { succeeded, failed } = counts.byState
      const ended = succeeded + failed
      return {
        jobId: chosenId(job.id),
        status: job.state,
        totalCount: counts.tasks,
        successCount: succeeded,
        errorCount: failed,
        failureRate: ended === 0 ? 0 : failed / ended,
        breaker: breaker
          ? { ...breaker, openUntil: breaker.openUntil === null ? null : isoTime(breaker.openUntil) }
          : null,
      }
    },
  )
}
