// Pauses, resumes, cancels, retries and deletes jobs. The response has the new state; tasks in flight may end later.

import * as z from 'zod'
import { jobParams, jobSummary } from '../../../model/api/jobs.ts'
import { chosenId } from '../../../model/ids.ts'
import type { RequestKind } from '../../../ports/store.ts'
import type { App } from '../../app.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { shownJob } from './views.ts'

const kinds: Record<RequestKind, string> = {
  pause: 'Pause a job; tasks in flight may finish',
  resume: 'Resume a paused job',
  cancel: 'Cancel a job; tasks in flight are aborted',
  retry: 'Retry failed tasks; for a cancelled job also the cancelled tasks',
}

export function addSteering(app: App, server: Server): void {
  for (const [kind, summary] of Object.entries(kinds) as Array<[RequestKind, string]>)
    app.post(
      `/jobs/:jobId/${kind}`,
      {
        config: { scope: 'submit' },
        schema: {
          summary,
          params: jobParams,
          response: { 200: jobSummary, 404: problemSchema, 409: problemSchema },
        },
      },
      async request => {
        const { id } = await ownedJob(server, request.caller, request.params.jobId)
        return shownJob(await server.parts.engine.steer(id, kind), baseUrl(server, request))
      },
    )
  addDeleting(app, server)
}

function addDeleting(app: App, server: Server): void {
  app.delete(
    '/jobs/:jobId',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Delete an ended job with its records and pages',
        params: jobParams,
        response: {
          200: z.object({ jobId: z.string(), deleted: z.literal(true) }),
          404: problemSchema,
          409: problemSchema,
        },
      },
    },
    async request => {
      const { id } = await ownedJob(server, request.caller, request.params.jobId)
      await server.parts.engine.delete(id)
      return { jobId: chosenId(id), deleted: true as const }
    },
  )
}
