// POST /search: results of the web search engine and of the workspace. The pages are scraped if the caller requests
// formats.
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../../model/access.ts'
import type { App, FastifyReply, FastifyRequest } from '../../../app.ts'
import { goneWith, jobEnded } from '../../../job-watch.ts'
import type { Server } from '../../../parts.ts'
import { submitFor } from '../../../submit.ts'
import { type Document, documentOf } from '../document.ts'
import { originRefusals, sortUrls } from '../given-urls.ts'
import { countTokens, preparedOptions } from '../prepare-options.ts'
import { hidden, readBody, specContext } from '../routes.ts'
import type { TheirOptions, Version } from '../schemas.ts'
import { listSpec } from '../spec.ts'
import { recordsAfter } from '../status.ts'
import { requestLabels, type StoredRequest, wantedOf } from '../stored-request.ts'
import { type Hit, type Search, searchAll } from './search-pages.ts'
import {
  isSearchSource,
  type SearchSource,
  type SearchV1,
  type SearchV2,
  searchBodies,
} from './search-schemas.ts'

export function addSearch(app: App, server: Server, version: Version): void {
  app.post(`/v${version}/search`, { ...hidden, config: { scope: 'submit' } }, async (request, reply) => {
    const body = readBody(searchBodies[version], request.body)
    const signal = AbortSignal.any([goneWith(reply), AbortSignal.timeout(body.timeout)])
    const { warnings: found, ...hits } = await searchAll(server, request.caller, searchOf(body), signal)
    const warnings = [...found, ...searchWarnings(body)]
    const scraped = await scrapedHits(server, request, reply, { version, body }, [...hits.web, ...hits.news])
    warnings.push(...scraped.warnings)
    const shown = (list: Hit[]) =>
      list.map((hit, index) => ({ ...hit, position: index + 1, ...scraped.documents.get(hit.url) }))
    return {
      success: true,
      data: version === 1 ? shown(hits.web) : grouped(body as SearchV2, hits, shown),
      ...(warnings.length > 0 && { warning: warnings.join(' · ') }),
      id: scraped.id ?? randomUUID(),
      creditsUsed: scraped.documents.size,
    }
  })
}

function grouped(
  { sources }: SearchV2,
  hits: Record<SearchSource, Hit[]>,
  shown: (list: Hit[]) => object[],
): Record<string, object[]> {
  const news = shown(hits.news).map(hit => {
    const { description, ...rest } = hit as Hit
    return { ...rest, snippet: description }
  })
  const all = { web: shown(hits.web), news, images: shown(hits.images) }
  return Object.fromEntries(sources.filter(isSearchSource).map(source => [source, all[source]]))
}

const ranges = { h: 'day', d: 'day', w: 'week', m: 'month', y: 'year' } as const

function searchOf(body: SearchV1 | SearchV2): Search {
  const { query, limit, tbs } = body
  const range = /^qdr:([hdwmy])$/.exec(tbs ?? '')?.[1] as keyof typeof ranges | undefined
  const common = { query, limit, ...(range && { timeRange: ranges[range] }) }
  if ('sources' in body) {
    const { sources, categories, includeDomains, excludeDomains } = body
    return {
      ...common,
      kinds: [...new Set(sources.filter(isSearchSource))],
      categories,
      includeDomains,
      excludeDomains,
    }
  }
  const none = { kinds: ['web'] as const, categories: [], includeDomains: [], excludeDomains: [] }
  return { ...common, ...none, language: 'lang' in body ? body.lang : undefined }
}

/** One warning for every option that has no effect. */
function searchWarnings(body: SearchV1 | SearchV2): string[] {
  const given = body as Record<string, unknown>
  const unused = [
    'location',
    'country',
    'filter',
    'enterprise',
    'threatProtection',
    'domainTools',
    'toolDetail',
  ]
  const { tbs, highlights } = given
  const unknownSources = 'sources' in body ? body.sources.filter(name => !isSearchSource(name)) : []
  return [
    ...unknownSources.map(name => `sources: "${name}" is not supported and ignored`),
    ...unused
      .filter(name => given[name] !== undefined && given[name] !== false)
      .map(name => `${name}: not supported and ignored`),
    ...(highlights === true
      ? ['highlights: not supported and ignored; description has the text around the match']
      : []),
    ...(tbs === 'qdr:h'
      ? ['tbs: the last day was searched; the search engine has no shorter time range']
      : []),
    ...(typeof tbs === 'string' && !/^qdr:[hdwmy]$/.test(tbs)
      ? [`tbs: "${tbs}" is ignored; use qdr:d, qdr:w, qdr:m or qdr:y`]
      : []),
  ]
}

interface Scraped {
  id: string | null
  /** Maps the URL of a result to its document. */
  documents: Map<string, Document>
  warnings: string[]
}

type Asked = { version: Version; body: SearchV1 | SearchV2 }

/** Like Firecrawl, scrapes the results only if the caller names formats. */
async function scrapedHits(
  server: Server,
  request: FastifyRequest,
  reply: FastifyReply,
  { version, body }: Asked,
  hits: readonly Hit[],
): Promise<Scraped> {
  const { scrapeOptions, timeout, ignoreInvalidURLs } = body
  const nothing: Scraped = { id: null, documents: new Map(), warnings: [] }
  if (!scrapeOptions?.formats?.length || hits.length === 0) return nothing
  const urls = [...new Set(hits.map(({ url }) => url))]
  const { valid, invalid } = await sortUrls(
    urls,
    ignoreInvalidURLs || urls.length > 1,
    originRefusals(server),
  )
  const asked = { version, given: scrapeOptions } as TheirOptions
  const { job, kept, warnings } = await startScrapes(server, request.caller, asked, valid)
  const isDone = await jobEnded(server, job.id, timeout, goneWith(reply))
  if (!isDone) await server.parts.engine.steer(job.id, 'cancel').catch(() => {})
  const documents = new Map<string, Document>()
  for await (const record of recordsAfter(server.parts, job.id, 0)) {
    const document = await documentOf(server.parts, job, kept, record)
    documents.set(String((document.metadata as { sourceURL?: string }).sourceURL), document)
  }
  const lacking = valid.length - documents.size
  return {
    ...{ id: job.id, documents },
    warnings: [
      ...warnings,
      ...invalid.map(url => `${url} may not be fetched`),
      ...(lacking > 0
        ? [
            `${lacking} results could not be scraped${isDone ? '' : ` within ${timeout} ms`}; GET /v2/batch/scrape/${job.id}/errors`,
          ]
        : []),
    ],
  }
}

async function startScrapes(server: Server, caller: Caller, asked: TheirOptions, urls: readonly string[]) {
  const options = await preparedOptions(server, caller, asked)
  const jobId = randomUUID()
  const kept: StoredRequest = {
    ...{ kind: 'batch', version: asked.version, url: null, wanted: wantedOf(options), webhook: null },
  }
  const context = { ...specContext(server, caller, jobId), labels: requestLabels(kept) }
  const { job } = await submitFor(server, caller, listSpec(urls, options, context), { face: 'firecrawl' })
  await countTokens(server, job.id, options.tokens)
  return { job, kept, warnings: options.warnings }
}
