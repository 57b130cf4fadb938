// The fetch API: a list of links in, rendered HTML out, loaded by the stealth browser.
import { Readable } from 'node:stream'
import * as z from 'zod'
import type { Caller } from '../../../model/access.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { App, FastifyRequest, RouteGroup } from '../../app.ts'
import { placeIn } from '../../http/cursors.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { idempotencyKeyOf, submitFor } from '../../submit.ts'
import { statusText } from './results.ts'
import { fetchBody, fetchParams, fetchStatus, startedFetch } from './schemas.ts'
import { inTheirWords, specOf, warningsOf } from './spec.ts'

export const fetchApi: RouteGroup = {
  name: 'fetch',
  about:
    'Rendered HTML of a list of links. A call of this API counts as consent to the stealth browser. The conduct receipt of the job records the consent.',
  addRoutes(app, server) {
    addStarting(app, server)
    addStatus(app, server)
    addCancelling(app, server)
  },
}

function addStarting(app: App, server: Server): void {
  app.post(
    '/fetch/start',
    {
      config: { scope: 'submit', takesLists: true },
      schema: {
        summary: 'Fetch links',
        description:
          'Each link gets its own browser context. robots.txt and rate limits apply as in every job.',
        body: fetchBody,
        response: { 202: startedFetch, 401: problemSchema, 403: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const { job, isRepeated } = await submitFor(server, request.caller, specOf(request.body), {
        face: 'fetch',
        idempotencyKey: idempotencyKeyOf(request),
      }).catch(error => {
        throw inTheirWords(error)
      })
      if (isRepeated) reply.header('idempotent-replayed', 'true')
      const warnings = warningsOf(request.body)
      return reply
        .code(202)
        .send({ ...shown(server, request, job), ...(warnings.length > 0 && { warnings }) })
    },
  )
}

const shown = (server: Server, request: FastifyRequest, { id, state }: Job) => ({
  jobId: id,
  status: state,
  statusUrl: `${baseUrl(server, request)}/fetch/status/${id}`,
})

function addStatus(app: App, server: Server): void {
  app.get(
    '/fetch/status/:jobId',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the state of the links and the loaded pages',
        description: 'Returns all results. For many links, use `limit` and `cursor` to get pages of results.',
        params: fetchParams,
        querystring: z.strictObject({ ...pageQuery, limit: pageQuery.limit.unwrap().optional() }),
        response: { 200: fetchStatus, 404: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      const { limit = null, cursor } = request.query
      const job = await fetchJob(server, request.caller, request.params.jobId)
      const after = placeIn(cursor, z.int().min(0)) ?? 0
      const text = Readable.from(statusText(server, job, { after, limit }))
      // The body is a stream, and Fastify response types have no stream.
      return reply.type('application/json; charset=utf-8').send(text as never)
    },
  )
}

function addCancelling(app: App, server: Server): void {
  app.post(
    '/fetch/cancel/:jobId',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Cancel the job; pages that are loading are closed',
        params: fetchParams,
        response: { 200: startedFetch, 404: problemSchema, 409: problemSchema },
      },
    },
    async request => {
      const { id } = await fetchJob(server, request.caller, request.params.jobId)
      return shown(server, request, await server.parts.engine.steer(id, 'cancel'))
    },
  )
}

async function fetchJob(server: Server, caller: Caller, jobId: string): Promise<Job> {
  const job = await ownedJob(server, caller, jobId)
  if (job.face === 'fetch') return job
  throw new Failure(
    'job.unknown',
    `job "${jobId}" was not created by /fetch; use GET /jobs/${jobId}/status`,
    { jobId },
  )
}
