// Pausing, resuming, cancelling, retrying and deleting a job: done when it is answered.

import * as z from 'zod'
import { chosenId } from '../../../model/ids.ts'
import type { RequestKind } from '../../../ports/store.ts'
import { baseUrl, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams, jobSummary } from './schemas.ts'
import { shownJob } from './shown.ts'

const kinds: Record<RequestKind, string> = {
  pause: 'Start no more tasks; what runs may finish',
  resume: 'Go on with a job that is paused',
  cancel: 'End a job at once: what waits is cancelled, what runs is aborted',
  retry: 'Run again what failed; of a cancelled job also what was cancelled',
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
        summary: 'Delete a job that has ended, with its records and pages',
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
