// POST /api/v1/scrape and /batch: an accepted scrape is durable.
import { Failure } from '../../../model/failures.ts'
import { scrapeTaskId } from '../../../pipeline/report/scrape-ids.ts'
import type { App } from '../../app.ts'
import { baseUrl } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import type { Reception } from './accept.ts'
import { enveloped, envelopeOf, problemEnvelope } from './envelope.ts'
import { acceptedJob, acceptedTask, batchBody, mostTargets, scrapeBody, scrapeExample } from './schemas.ts'
import { commonFieldsOf, targetsOf } from './spec.ts'

export const refusals = {
  400: problemEnvelope,
  401: problemEnvelope,
  403: problemEnvelope,
  422: problemEnvelope,
  429: problemEnvelope,
}

export function addCreating(app: App, server: Server, reception: Reception): void {
  addScrape(app, server, reception)
  addBatch(app, server, reception)
}

function addScrape(app: App, server: Server, reception: Reception): void {
  app.post(
    '/api/v1/scrape',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Start a scrape of one page',
        body: scrapeBody.meta({ examples: [scrapeExample] }),
        response: { 202: envelopeOf(acceptedTask), ...refusals },
      },
    },
    async (request, reply) => {
      const { body } = request
      const scrape = { targets: [body], common: body, isBatch: false }
      const job = await reception.accept(scrape, request, reply)
      const taskId = scrapeTaskId(job.id, 1)
      const statusUrl = `${baseUrl(server, request)}/api/v1/scrape/${taskId}`
      const accepted = { task_id: taskId, job_id: job.id, status: 'queued' as const, status_url: statusUrl }
      return reply.code(202).header('location', statusUrl).send(enveloped(accepted, request))
    },
  )
}

function addBatch(app: App, server: Server, reception: Reception): void {
  app.post(
    '/api/v1/scrape/batch',
    {
      config: { scope: 'submit', takesLists: true },
      schema: {
        summary: `Scrape up to ${mostTargets} pages as one job`,
        description:
          'Each target has its own type and rendering options. All other options apply to the whole batch.',
        body: batchBody.meta({ examples: [{ targets: [scrapeExample] }] }),
        response: { 202: envelopeOf(acceptedJob), ...refusals },
      },
    },
    async (request, reply) => {
      refuseTooMany(request.body.targets.length)
      const targets = targetsOf(request.body)
      const job = await reception.accept(
        { targets, common: commonFieldsOf(request.body), isBatch: true },
        request,
        reply,
      )
      const statusUrl = `${baseUrl(server, request)}/api/v1/scrape/jobs/${job.id}`
      const accepted = {
        job_id: job.id,
        status: 'queued' as const,
        total_tasks: targets.length,
        task_ids: targets.map((_, index) => scrapeTaskId(job.id, index + 1)),
        status_url: statusUrl,
      }
      return reply.code(202).header('location', statusUrl).send(enveloped(accepted, request))
    },
  )
}

function refuseTooMany(count: number): void {
  if (count <= mostTargets) return
  throw new Failure(
    'request.invalid',
    `targets: ${count} exceed the limit of ${mostTargets} per batch; send several batches, or a job to /jobs`,
    { path: 'targets' },
  )
}
