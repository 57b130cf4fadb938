// Reads batches and crawls (status, documents, errors, active jobs) and cancels them.
import * as z from 'zod'
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import { taskId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { baseUrl, isoTime } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { read, readBody, submit, theirJob } from './routes.ts'
import type { Version } from './schemas.ts'
import { type DocumentPlace, documentPage, mostDocuments, placeAfter, shownStatus } from './status.ts'
import { storedRequestOf } from './stored-request.ts'

const count = z.coerce.number().int().min(0)
const pageQuery = z.object({
  skip: count.default(0),
  limit: count.min(1).max(1_000).default(mostDocuments),
  /** Number of the last record that the reader has. The `next` URL contains it, so the server need not count
   *  records. */
  after: count.optional(),
})

type WithId = { Params: { id: string } }

export function addLooking(app: App, server: Server, version: Version): void {
  for (const path of [`/v${version}/crawl`, `/v${version}/batch/scrape`]) {
    app.get<WithId>(`${path}/:id`, read, request => status(server, request, request.params.id, path, version))
    app.get<WithId>(`${path}/:id/errors`, read, request => errors(server, request.caller, request.params.id))
    // Version 1 clients send DELETE to read the errors, so this route cancels nothing.
    app.delete<WithId>(`${path}/:id/errors`, read, request =>
      errors(server, request.caller, request.params.id),
    )
    app.delete<WithId>(`${path}/:id`, submit, request => cancel(server, request.caller, request.params.id))
  }
  for (const name of ['active', 'ongoing'])
    app.get(`/v${version}/crawl/${name}`, read, request => active(server, request.caller))
}

async function status(server: Server, request: FastifyRequest, id: string, path: string, version: Version) {
  const found = await theirJob(server, request.caller, id)
  const { skip, limit, after } = readBody(pageQuery, request.query)
  // Read the counts before the documents. A task that ends in between appears in the next call.
  const counts = await server.parts.store.jobs.counts(found.job.id)
  const place = after === undefined ? await placeAfter(server.parts, found.job.id, skip) : { skip, after }
  const { data, next } = await documentPage(server.parts, found, place, limit)
  const address = next && nextAddress(`${baseUrl(server, request)}${path}/${id}`, next, limit)
  return {
    ...shownStatus(server, found.job, counts),
    // Version 1 clients would treat `next: null` as a URL, so it is left out for them.
    ...(address === null ? (version === 2 ? { next: null } : {}) : { next: address }),
    data,
  }
}

const nextAddress = (address: string, { skip, after }: DocumentPlace, limit: number): string =>
  `${address}?skip=${skip}&limit=${limit}&after=${after}`

const mostErrors = 1_000

async function errors(server: Server, caller: Caller, id: string) {
  const { job } = await theirJob(server, caller, id)
  const { tasks } = server.parts.store
  const failed = await tasks.failed(job.id, { after: 0, limit: mostErrors })
  const shown = []
  for (const { n, url, reason, message } of failed) {
    const last = (await tasks.attempts(job.id, n)).at(-1)
    const timestamp = last ? isoTime(last.endedAt) : undefined
    shown.push({ id: taskId(job.id, n), timestamp, url, code: reason, error: message ?? reason })
  }
  const skipped = await tasks.list(job.id, { states: ['skipped'], limit: mostErrors })
  const blocked = skipped.filter(({ reason }) => reason === 'robots.disallowed')
  return { errors: shown, robotsBlocked: blocked.map(({ url }) => url) }
}

async function cancel(server: Server, caller: Caller, id: string) {
  const { job } = await theirJob(server, caller, id)
  if (hasEnded(job.state))
    throw new Failure(
      'job.wrong-state',
      `job ${id} has already ended (${job.state}), so it cannot be cancelled`,
    )
  // The id of the found job: `id` may also be the id of a job of another workspace.
  await server.parts.engine.steer(job.id, 'cancel')
  return { success: true, status: 'cancelled' }
}

const mostActive = 1_000

async function active({ parts }: Server, { workspace }: Caller) {
  const jobs = await parts.store.jobs.list({
    ...{ workspace, face: 'firecrawl', limit: mostActive },
    states: ['pending', 'running', 'paused', 'finishing'],
  })
  return { success: true, crawls: jobs.filter(job => storedRequestOf(job).kind === 'crawl').map(shownCrawl) }
}

const shownCrawl = (job: Job) => ({
  id: job.id,
  teamId: job.workspace,
  url: storedRequestOf(job).url,
  created_at: isoTime(job.createdAt),
  options: { limit: job.spec.maxPages, scrapeOptions: { formats: storedRequestOf(job).wanted.formats } },
})
