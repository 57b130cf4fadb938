// Reads and cancels extractions: GET /extract/ID, and GET and DELETE /agent/ID.
import * as z from 'zod'
import type { Caller } from '../../../../model/access.ts'
import { Failure } from '../../../../model/failures.ts'
import { hasEnded, type Job } from '../../../../model/job.ts'
import type { App } from '../../../app.ts'
import { isoTime } from '../../../http/responses.ts'
import type { Server } from '../../../parts.ts'
import { type FoundJob, read, readBody, submit, theirJob } from '../routes.ts'
import type { Version } from '../schemas.ts'
import { shownStatus, statusOf } from '../status.ts'
import { type StoredRequest, storedRequestOf } from '../stored-request.ts'
import { type ExtractionResult, extractionOf, extractionResult } from './extraction-result.ts'

type WithId = { Params: { id: string } }

export function addExtractStatus(app: App, server: Server, version: Version): void {
  app.get<WithId>(`/v${version}/extract/:id`, read, async request => {
    const found = await extraction(server, request.caller, request.params.id, 'extract')
    const { result, tokens, shown } = await resultOf(server, found)
    return {
      ...shown,
      tokensUsed: tokens,
      ...(extractionOf(found.job, found.kept).showSources && { sources: result.sources }),
    }
  })
  if (version === 1) return
  addAgentRoutes(app, server)
}

function addAgentRoutes(app: App, server: Server): void {
  app.get<WithId>('/v2/agent/:id', read, async request => {
    const found = await extraction(server, request.caller, request.params.id, 'agent')
    const { result, shown } = await resultOf(server, found)
    const model = server.settings.llmModel
    return { ...shown, sources: result.sources, ...(model !== undefined && { model }) }
  })
  app.delete<WithId>('/v2/agent/:id', submit, async request => {
    const { job } = await extraction(server, request.caller, request.params.id, 'agent')
    if (hasEnded(job.state))
      throw new Failure('job.wrong-state', `agent ${job.id} has already ended (${job.state})`)
    await server.parts.engine.steer(job.id, 'cancel')
    return { success: true }
  })
  app.get('/v2/agent', read, async request => {
    const { before } = readBody(z.strictObject({ before: z.coerce.number().optional() }), request.query)
    return { success: true, agents: await agents(server, request.caller, before) }
  })
}

async function extraction(
  server: Server,
  caller: Caller,
  id: string,
  kind: StoredRequest['kind'],
): Promise<FoundJob> {
  const found = await theirJob(server, caller, id)
  if (found.kept.kind === kind) return found
  throw new Failure('job.unknown', `job "${id}" is not a job of type ${kind}`, { jobId: id })
}

async function resultOf(server: Server, { job, kept }: FoundJob) {
  const counts = await server.parts.store.jobs.counts(job.id)
  const result = await extractionResult(server.parts, job, kept)
  const { expiresAt } = shownStatus(server, job, counts)
  return {
    result,
    tokens: counts.llmTokens,
    shown: { ...shownResult(result), expiresAt, creditsUsed: counts.pages },
  }
}

const shownResult = ({ status, data, error, warnings }: ExtractionResult) => ({
  success: status !== 'failed',
  status,
  ...(status === 'completed' && { data }),
  ...(error !== null && { error }),
  ...(warnings.length > 0 && { warning: warnings.join(' · '), warnings }),
})

const mostListed = 100

/** Agents of the workspace, newest first. `before` is an epoch time in milliseconds. */
async function agents({ parts, settings }: Server, { workspace }: Caller, before: number | undefined) {
  const jobs = await parts.store.jobs.list({ workspace, face: 'firecrawl', limit: 1_000 })
  return jobs
    .filter(job => storedRequestOf(job).kind === 'agent' && (before === undefined || job.createdAt < before))
    .slice(0, mostListed)
    .map(job => shownAgent(job, settings.llmModel))
}

function shownAgent(job: Job, model: string | undefined) {
  const { prompt, urls, schema } = extractionOf(job, storedRequestOf(job))
  const status = statusOf(job)
  return {
    id: job.id,
    createdAt: isoTime(job.createdAt),
    targetHint: urls[0] ?? prompt ?? '',
    origin: 'api',
    settings: { hidden: false, starred: false },
    status: status === 'scraping' ? 'processing' : status,
    options: { prompt: prompt ?? '', schema, urls, ...(model !== undefined && { model }) },
  }
}
