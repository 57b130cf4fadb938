// Starts batches and crawls. Firecrawl's clients expect 200 and an absolute status URL.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../../model/failures.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { baseUrl } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { originRefusals, sortUrls } from './given-urls.ts'
import type { ScrapeOptions } from './options.ts'
import { countTokens, type PreparedOptions, preparedOptions } from './prepare-options.ts'
import { checkWebhook, readBody, specContext, submitLists } from './routes.ts'
import { bodies, type TheirOptions, type TheirWebhook, type Version } from './schemas.ts'
import { crawlSpec, crawlWarnings, listSpec, type SpecContext } from './spec.ts'
import { requestLabels, type StoredRequest, storedWebhook, wantedOf } from './stored-request.ts'

export function addStarting(app: App, server: Server, version: Version): void {
  app.post(`/v${version}/batch/scrape`, submitLists, async request => {
    const body = readBody(bodies[version].batch, request.body)
    const { urls, webhook, appendToId, ignoreInvalidURLs, maxConcurrency, ...given } = body
    const { valid, invalid } = await sortUrls(urls, ignoreInvalidURLs, originRefusals(server))
    const options = await preparedOptions(server, request.caller, { version, given } as TheirOptions)
    if (appendToId !== undefined)
      options.warnings.push('appendToId: a batch cannot grow after it was accepted; this is a new batch')
    const start: Start = { kind: 'batch', version, url: null, options, webhook }
    const { id, path } = await started(server, request, start, context =>
      listSpec(valid, options, context, { concurrency: maxConcurrency }),
    )
    return {
      success: true,
      id,
      url: path,
      ...(ignoreInvalidURLs && { invalidURLs: invalid }),
      ...warned(options),
    }
  })
  app.post(`/v${version}/crawl`, submitLists, async request => {
    const body = readBody(bodies[version].crawl, request.body)
    const asked = { version, given: body.scrapeOptions ?? {} } as TheirOptions
    const options = await preparedOptions(server, request.caller, asked)
    options.warnings.push(...crawlWarnings(body))
    const start: Start = { kind: 'crawl', version, url: body.url, options, webhook: body.webhook }
    const { id, path } = await started(server, request, start, context => crawlSpec(body, options, context))
    return { success: true, id, url: path, ...warned(options) }
  })
}

const warned = ({ warnings }: ScrapeOptions) =>
  warnings.length === 0 ? {} : { warning: warnings.join(' · ') }

interface Start {
  kind: 'batch' | 'crawl'
  version: Version
  url: string | null
  options: PreparedOptions
  webhook: TheirWebhook | undefined
}

async function started(
  server: Server,
  request: FastifyRequest,
  { kind, version, url, options, webhook }: Start,
  specOf: (context: SpecContext) => Parameters<typeof submitFor>[2],
): Promise<{ id: string; path: string }> {
  const jobId = randomUUID()
  const kept: StoredRequest = {
    ...{ kind, version, url, wanted: wantedOf(options) },
    webhook: storedWebhook(server.parts.sealer, jobId, webhook),
  }
  const context = { ...specContext(server, request.caller, jobId), labels: requestLabels(kept) }
  const spec = specOf(context)
  if (kept.webhook) await checkWebhook(server, spec, kept.webhook)
  const { job, isRepeated } = await submitFor(server, request.caller, spec, {
    face: 'firecrawl',
    idempotencyKey: idempotencyKeyIn(request),
    asked: request.body,
  })
  if (!isRepeated) await countTokens(server, job.id, options.tokens)
  const name = kind === 'batch' ? 'batch/scrape' : 'crawl'
  return { id: job.id, path: `${baseUrl(server, request)}/v${version}/${name}/${job.id}` }
}

/** The idempotency key of a request. If the key was used with another body, Firecrawl answers 409. */
export function idempotencyKeyIn({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-idempotency-key']
  if (key === undefined || key === '') return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Failure('input.invalid', 'x-idempotency-key: at most 255 visible ASCII characters', {
    path: 'x-idempotency-key',
  })
}
