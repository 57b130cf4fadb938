// POST /map: the URLs of a site, from its sitemaps and the links of its first page.
import { randomUUID } from 'node:crypto'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { listedUrls } from '../../../pipeline/report/listed-urls.ts'
import type { App, FastifyReply } from '../../app.ts'
import { goneWith, jobEnded, stoppingFailure } from '../../job-watch.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { scrapeOptionsOf } from './options.ts'
import { withProxies } from './proxies.ts'
import { hidden, readBody } from './routes.ts'
import { bodies, type Version } from './schemas.ts'
import { mapSpec, mapWarnings } from './spec.ts'
import { requestLabels, type StoredRequest, wantedOf } from './stored-request.ts'

const usualTimeoutMs = 120_000

export function addMapping(app: App, server: Server, version: Version): void {
  app.post(`/v${version}/map`, { ...hidden, config: { scope: 'submit' } }, async (request, reply) => {
    const body = readBody(bodies[version].map, request.body)
    const jobId = randomUUID()
    const country = body.location?.country ?? null
    const asked = { ...scrapeOptionsOf({ version: 2, given: {} }), country, warnings: mapWarnings(body) }
    const options = withProxies(server, request.caller, asked)
    const kept: StoredRequest = {
      kind: 'map',
      version,
      url: body.url,
      wanted: wantedOf(options),
      webhook: null,
    }
    const spec = mapSpec(body, options, { jobId, labels: requestLabels(kept) })
    const { job } = await submitFor(server, request.caller, spec, { face: 'firecrawl', map: true })
    await endedInTime(server, job, body.timeout ?? usualTimeoutMs, reply)
    const urls = await urlsOf(server, job, body.limit, body.search)
    return {
      success: true,
      ...(version === 2 && { id: job.id }),
      links: version === 1 ? urls : urls.map(url => ({ url })),
      ...(options.warnings.length > 0 && { warning: options.warnings.join(' · ') }),
    }
  })
}

async function endedInTime(server: Server, job: Job, timeoutMs: number, reply: FastifyReply): Promise<void> {
  if (await jobEnded(server, job.id, timeoutMs, goneWith(reply))) return
  const { engine, stopping } = server.parts
  if (stopping.aborted) throw stoppingFailure(server)
  await engine.steer(job.id, 'cancel').catch(() => {})
  throw new Failure(
    'task.deadline',
    `the map was not done within ${timeoutMs} ms; raise timeout, or use sitemap "only"`,
  )
}

async function urlsOf(
  { parts }: Server,
  job: Job,
  limit: number,
  search: string | undefined,
): Promise<string[]> {
  const urls: string[] = []
  for await (const some of listedUrls(parts.store, job)) urls.push(...some)
  if (urls.length === 0) await refuseFailed(parts, job)
  return (search === undefined ? urls : byWords(urls, search)).slice(0, limit)
}

/** If the start page failed, the map fails with the same error. */
async function refuseFailed({ store }: Server['parts'], job: Job): Promise<void> {
  const [failed] = await store.tasks.failed(job.id, { after: 0, limit: 1 })
  if (failed)
    throw new Failure(
      (failed.reason ?? 'internal.bug') as FailureCode,
      failed.message ?? `${failed.url} could not be fetched`,
    )
}

/** URLs that contain at least one word of the search, the best matches first. */
export function byWords(urls: readonly string[], search: string): string[] {
  const words = search.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const score = (url: string) => words.filter(word => url.toLowerCase().includes(word)).length
  return urls
    .map(url => ({ url, score: score(url) }))
    .filter(one => one.score > 0)
    .sort((first, second) => second.score - first.score)
    .map(({ url }) => url)
}
