// Shared by the Firecrawl routes: body validation, unconverted responses, and job lookup.
import type * as z from 'zod'
import { checkInParts } from '../../../lib/check-in-parts.ts'
import { problemsOf } from '../../../lib/text/problems.ts'
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { GivenSpec, Job } from '../../../model/job.ts'
import { usualPiiOf } from '../../consent.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import type { SpecContext } from './spec.ts'
import { type StoredRequest, type StoredWebhook, storedRequestOf } from './stored-request.ts'

/** Route options. Our OpenAPI document leaves these routes out, because Firecrawl documents them. */
export const hidden = { schema: { hide: true } } as const
export const read = { ...hidden, config: { scope: 'read' as const } }
export const submit = { ...hidden, config: { scope: 'submit' as const } }
/** Route options for bodies that may contain a list of URLs, and so may be large. */
export const submitLists = { ...hidden, config: { scope: 'submit' as const, takesLists: true } }

export function readBody<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = checkInParts(schema, given ?? {})
  if (parsed.success) return parsed.data
  const problems = problemsOf(parsed.error, {
    known: 'shape' in schema ? Object.keys(schema.shape as object) : [],
  })
  const lines = problems.map(({ path, message }) => `${path}: ${message}`)
  throw new Failure('input.invalid', `the request can't be accepted: ${lines.join('; ')}`, {
    path: problems[0]?.path,
    problems,
  })
}

/** Rejects if a job may not have this webhook, for example because its address is private. Only the first item is checked here,
 *  because the submission of the job checks all of them. */
export const checkWebhook = ({ parts }: Server, spec: GivenSpec, { url }: StoredWebhook): Promise<void> =>
  parts.engine.check(
    { ...spec, items: spec.items?.slice(0, 1), webhookUrl: url },
    { origin: { face: 'firecrawl' } },
  )

export interface FoundJob {
  job: Job
  kept: StoredRequest
}

/** Finds batches and crawls under either path: version 1 clients use the crawl path for both. */
export async function theirJob(server: Server, caller: Caller, jobId: string): Promise<FoundJob> {
  const job = await ownedJob(server, caller, jobId)
  return { job, kept: storedRequestOf(job) }
}

export const specContext = (server: Server, caller: Caller, jobId: string): Omit<SpecContext, 'labels'> => ({
  jobId,
  hasModel: server.settings.llmBaseUrl !== undefined,
  usualRate: server.parts.hosts.usualPace.rate,
  usualPii: usualPiiOf(server, caller),
})
