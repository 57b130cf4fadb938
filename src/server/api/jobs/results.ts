// GET /jobs/{id}/results: records and failures in pages, as a stream, or parts of the manifest.
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { manifestPage, resultPage } from '../../../model/api/items.ts'
import { jobParams } from '../../../model/api/jobs.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId, id } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { failureText } from '../../../pipeline/report/failure-text.ts'
import {
  finishedManifests,
  type ManifestKind,
  readManifestPart,
  recordText,
  resultsAfter,
} from '../../../pipeline/report/job-results.ts'
import { failedItem, recordItem } from '../../../pipeline/report/result-items.ts'
import type { App, FastifyReply, FastifyRequest } from '../../app.ts'
import { cursorOf, placeIn } from '../../http/cursors.ts'
import { asDownload } from '../../http/downloads.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { linksOf, withSources } from './views.ts'

const query = z.strictObject({
  status: z
    .enum(['success', 'error', 'all'])
    .optional()
    .describe('Default: `all`; streams then contain only records.'),
  part: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('A part of the manifest; available when the job has ended.'),
  format: z
    .enum(['json', 'ndjson', 'csv'])
    .optional()
    .describe('`ndjson` and `csv` stream all results. The Accept header can select the format too.'),
  metadata: z
    .stringbool()
    .default(true)
    .describe('Include `metadata` and `parts`. For a large job they take some time.'),
  provenance: z.stringbool().default(false).describe('Include the source of each field.'),
  ...pageQuery,
  limit: pageQuery.limit.unwrap().optional().describe('Default: 100.'),
})
type Query = z.output<typeof query>
type Status = NonNullable<Query['status']>

const place = z.strictObject({ record: z.int().min(0), failure: z.int().min(0) })

export function addResults(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/results',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the results of a job',
        description:
          'Returns a page of records and failures in order of arrival, also while the job runs. With `part`, returns that part of the manifest.',
        params: jobParams,
        querystring: query,
        response: {
          200: z.union([resultPage, manifestPage]),
          404: problemSchema,
          409: problemSchema,
          422: problemSchema,
        },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      if (request.query.part !== undefined) return onePart(server, job, request.query, request.query.part)
      const format = request.query.format ?? formatIn(request)
      // The body is a stream, and Fastify response types have no stream.
      if (format !== 'json') return streamed(server, job, format, request.query, reply) as never
      const found = await page(server, job, request.query)
      return request.query.metadata ? { ...found, ...(await ending(server, job, request)) } : found
    },
  )
  addOutputs(app, server)
}

export function formatIn({ headers: { accept = '' } }: FastifyRequest): 'json' | 'ndjson' | 'csv' {
  if (/application\/(x-)?(ndjson|jsonl)/.test(accept)) return 'ndjson'
  return accept.includes('text/csv') ? 'csv' : 'json'
}

type Streamed = 'ndjson' | 'csv'

function streamed(
  { parts }: Server,
  job: Job,
  format: Streamed,
  asked: Query,
  reply: FastifyReply,
): FastifyReply {
  refuseUnstreamed(format, asked)
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8'
  const text = resultText(parts, job, format, asked.status ?? 'success')
  return asDownload(reply, `${chosenId(job.id)}.${format}`, type).send(Readable.from(text))
}

async function* resultText(parts: Server['parts'], job: Job, format: Streamed, status: Status) {
  if (status !== 'error') yield* recordText(parts, job, format)
  if (status !== 'success') yield* failureText(parts.store, job.id, format)
}

/** Refuses parameters that a stream does not support. */
export function refuseUnstreamed(format: Streamed, asked: Query): void {
  if (format === 'csv' && asked.status === 'all')
    refuse('status', 'records and failures have different columns; request success and error separately')
  refusePaging(asked, `${format} streams everything; use json for pages`)
}

function refusePaging({ limit, cursor, provenance }: Query, why: string): void {
  for (const [name, value] of Object.entries({ limit, cursor, provenance }))
    if (value !== undefined && value !== false) refuse(name, why)
}

function refuse(path: string, why: string): never {
  throw new Failure('input.invalid', `${path}: ${why}`, { path })
}

async function page({ parts }: Server, job: Job, { status = 'all', limit: most, cursor, provenance }: Query) {
  const limit = pageQuery.limit.parse(most)
  const from = placeIn(cursor, place) ?? { record: 0, failure: 0 }
  const {
    records,
    failed,
    isFull,
    place: next,
  } = await resultsAfter(parts.store, job.id, from, { limit, wants: status })
  return {
    jobId: chosenId(job.id),
    status: job.state,
    complete: hasEnded(job.state),
    items: [...records.map(provenance ? withSources : recordItem), ...failed.map(failedItem)],
    // A page that is not full is the last one if the job has ended.
    nextCursor: isFull || !hasEnded(job.state) ? cursorOf(next) : null,
  }
}

const manifestOf: Record<Status, ManifestKind> = { all: 'full', success: 'success', error: 'errors' }

/** The summary and the links to the manifest parts. They exist only when the job has ended. */
async function ending(server: Server, job: Job, request: FastifyRequest) {
  if (!hasEnded(job.state)) return {}
  const { status = 'all' } = request.query as Query
  const metadata = await finishedManifests(server.parts, job)
  const { results } = linksOf(baseUrl(server, request), job.id)
  const count = metadata.parts[manifestOf[status]]
  const parts = Array.from({ length: count }, (_, index) => `${results}?status=${status}&part=${index + 1}`)
  return { metadata, parts }
}

async function onePart({ parts }: Server, job: Job, asked: Query, part: number) {
  const { status = 'all', format = 'json' } = asked
  if (format !== 'json') refuse('format', 'parts of the manifest are available only as json')
  refusePaging(asked, 'a part of the manifest takes no other parameters')
  if (!hasEnded(job.state))
    throw new Failure(
      'job.wrong-state',
      `job ${chosenId(job.id)} is ${job.state}: its manifest is made when it ends`,
      {
        path: 'part',
      },
    )
  const metadata = await finishedManifests(parts, job)
  const kind = manifestOf[status]
  const text = await readManifestPart(parts, job.id, kind, part)
  if (!text)
    throw new Failure(
      'item.unknown',
      `part: the ${kind} manifest of job ${chosenId(job.id)} has ${metadata.parts[kind]} parts`,
      {
        path: 'part',
      },
    )
  return {
    jobId: chosenId(job.id),
    status: job.state,
    part,
    parts: metadata.parts[kind],
    items: JSON.parse(text.toString()) as Array<Record<string, unknown>>,
  }
}

/** Serves the output files that the job requested. */
function addOutputs(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/outputs/:fileName',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Download an output file of a job',
        params: z.object({ jobId: id, fileName: id }),
        response: { 404: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const { fileName } = request.params
      const path = join(server.parts.exportsFolder(job.id), fileName)
      if (!existsSync(path))
        throw new Failure(
          'artifact.unknown',
          `job ${chosenId(job.id)} has no file "${fileName}", or it is not written yet`,
        )
      return asDownload(reply, fileName, 'application/octet-stream').send(createReadStream(path))
    },
  )
}
