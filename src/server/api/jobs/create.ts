// POST /jobs: creates a job. An accepted job is durable.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type * as z from 'zod'
import { type Caller, idIn } from '../../../model/access.ts'
import { createdJob, jobBody } from '../../../model/api/jobs.ts'
import type { GivenSpec } from '../../../model/job.ts'
import { refuseOwnLabels } from '../../../model/own-labels.ts'
import { uploadSource } from '../../../pipeline/submit/uploads.ts'
import type { App } from '../../app.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { idempotencyKeyOf, jobAskedBefore, type Submission, type Submitted, submitFor } from '../../submit.ts'
import { uploadParts } from '../../uploads.ts'
import { shownJob } from './views.ts'

export function addCreating(app: App, server: Server): void {
  app.post(
    '/jobs',
    {
      config: { scope: 'submit', takesLists: true },
      schema: {
        summary: 'Submit a job',
        description:
          'A job has exactly one source: `urls`, `items`, `seed_urls` (a crawl), `sitemap_url` or `upload_id`. With an `Idempotency-Key`, a repeated request returns the same job.',
        body: jobBody,
        response: {
          202: createdJob,
          401: problemSchema,
          409: problemSchema,
          422: problemSchema,
          429: problemSchema,
        },
      },
    },
    async (request, reply) => {
      refuseOwnLabels(request.body.labels, 'labels')
      const { job, isRepeated } = await submitted(server, request.caller, request.body, {
        face: 'jobs',
        idempotencyKey: idempotencyKeyOf(request),
        asked: request.body,
      })
      if (isRepeated) reply.header('idempotent-replayed', 'true')
      const shown = shownJob(job, baseUrl(server, request))
      const warnings = server.parts.proxies.judge(job.spec.policy.proxy)
      return reply
        .code(202)
        .header('location', shown.links.self)
        .send({ ...shown, warnings })
    },
  )
}

async function submitted(
  server: Server,
  caller: Caller,
  body: JobBody,
  asked: Submission,
): Promise<Submitted> {
  const before = await jobAskedBefore(server, caller, asked)
  if (before) return { job: before, isRepeated: true }
  const spec = placeOutputs(server, named(body, caller))
  const source = await uploadSource(uploadParts(server), caller.workspace, spec.uploadId)
  return submitFor(server, caller, spec, { ...asked, ...(source !== undefined && { source }) })
}

type JobBody = z.output<typeof jobBody>

const named = (body: JobBody, { workspace }: Caller): JobBody =>
  body.jobId === undefined ? body : { ...body, jobId: idIn(workspace, body.jobId) }

/** Puts the output files into the folder of the job. */
export function placeOutputs({ parts }: Server, body: JobBody): GivenSpec {
  if (body.output.length === 0) return body
  const jobId = body.jobId ?? `job-${randomBytes(5).toString('hex')}`
  const folder = parts.exportsFolder(jobId)
  return { ...body, jobId, output: body.output.map(file => ({ ...file, path: join(folder, file.path) })) }
}
