// Extractions over several pages: POST /extract and /agent. Values come from the structured data of the pages. The configured
// model supplies missing values.
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../../../model/access.ts'
import { Failure } from '../../../../model/failures.ts'
import type { Job } from '../../../../model/job.ts'
import type { App, FastifyRequest } from '../../../app.ts'
import type { Server } from '../../../parts.ts'
import { submitFor } from '../../../submit.ts'
import { originRefusals, sortUrls } from '../given-urls.ts'
import type { JsonSchema } from '../options.ts'
import { countTokens, modelSettings, preparedOptions, proposedSchema } from '../prepare-options.ts'
import { checkWebhook, readBody, specContext, submitLists } from '../routes.ts'
import { bodies, type TheirOptions, type TheirWebhook, type Version, webhook } from '../schemas.ts'
import { engineSetting, searchAll } from '../search/search-pages.ts'
import { crawlSpec, listSpec } from '../spec.ts'
import { idempotencyKeyIn } from '../start-jobs.ts'
import { requestLabels, type StoredRequest, storedWebhook, wantedOf } from '../stored-request.ts'
import { type AgentBody, agentBody, type ExtractBody, extractBodies } from './extract-schemas.ts'
import { asObjectSchema } from './merge-fields.ts'

/** Maximum number of pages that a search adds. */
const searchedPages = 5
/** Maximum number of pages that a URL ending in `/*` adds. */
const sitePages = 50

export function addExtracting(app: App, server: Server, version: Version): void {
  app.post(`/v${version}/extract`, submitLists, async request => {
    const body = readBody(extractBodies[version], request.body)
    const { job, invalid, warnings } = await started(server, request, extractRequest(version, body))
    return {
      ...{ success: true, id: job.id, urlTrace: [] },
      ...(body.ignoreInvalidURLs && { invalidURLs: invalid }),
      ...(warnings.length > 0 && { warning: warnings.join(' · ') }),
    }
  })
  if (version === 1) return
  app.post('/v2/agent', submitLists, async request => {
    const { job, warnings } = await started(server, request, agentRequest(readBody(agentBody, request.body)))
    return { success: true, id: job.id, ...(warnings.length > 0 && { warning: warnings.join(' · ') }) }
  })
}

/** An extraction request. Both routes, `extract` and `agent`, are converted to this form. */
interface ExtractionRequest {
  kind: 'extract' | 'agent'
  version: Version
  urls: string[]
  prompt: string | undefined
  schema: JsonSchema | null
  searches: boolean
  mayIgnore: boolean
  /** Maximum number of pages; undefined means the default of this service. */
  limit: number | undefined
  scrape: Record<string, unknown>
  crawl: { sitemap: 'include' | 'skip'; allowSubdomains: boolean; allowExternalLinks: boolean }
  showSources: boolean
  webhook: TheirWebhook | undefined
  warnings: string[]
}

const ignored = (given: Record<string, unknown>, names: readonly string[]): string[] =>
  names
    .filter(name => given[name] !== undefined && given[name] !== false)
    .map(name => `${name}: not supported and ignored`)

function extractRequest(version: Version, body: ExtractBody): ExtractionRequest {
  const { urls = [], prompt, systemPrompt, schema = null, scrapeOptions, ignoreInvalidURLs } = body
  const words = [systemPrompt, prompt].filter(Boolean).join('\n')
  const unused = ['agent', 'urlTrace', 'timeout', 'zeroDataRetention', 'threatProtection']
  return {
    ...{ kind: 'extract', version, urls, schema, limit: body.limit, webhook: body.webhook },
    prompt: words === '' ? undefined : words,
    searches: body.enableWebSearch || urls.length === 0,
    mayIgnore: ignoreInvalidURLs,
    scrape: { onlyMainContent: false, ...scrapeOptions },
    crawl: {
      sitemap: body.ignoreSitemap ? 'skip' : 'include',
      allowSubdomains: body.includeSubdomains,
      allowExternalLinks: body.allowExternalLinks,
    },
    showSources: body.showSources,
    warnings: [
      ...ignored(body, unused),
      ...(body.allowExternalLinks && !urls.some(isSite)
        ? ['allowExternalLinks: only URLs that end in /* lead to other pages']
        : []),
    ],
  }
}

function agentRequest(body: AgentBody): ExtractionRequest {
  refuseChat(body)
  const { urls = [], prompt, schema = null, maxCredits, strictConstrainToURLs } = body
  const events = typeof body.webhook === 'object' ? (body.webhook.events ?? []) : []
  return {
    ...{ kind: 'agent', version: 2, urls, prompt, schema, limit: maxCredits },
    searches: urls.length === 0 && !strictConstrainToURLs,
    mayIgnore: true,
    scrape: { onlyMainContent: false },
    crawl: { sitemap: 'include', allowSubdomains: true, allowExternalLinks: false },
    showSources: true,
    webhook: body.webhook === undefined ? undefined : readBody(webhook, agentWebhook(body.webhook)),
    warnings: [
      ...ignored(body, ['effort', 'threatProtection', 'auditMetadata']),
      ...(body.model === undefined
        ? []
        : ['model: ignored; the operator sets the model (SCRAPER_LLM_MODEL)']),
      ...(events.includes('action')
        ? ['webhook.events: "action" is never sent, because an agent has no steps']
        : []),
    ],
  }
}

/** The webhook without the event `action`, which this service never sends. */
const agentWebhook = (given: NonNullable<AgentBody['webhook']>): unknown =>
  typeof given === 'string' || !given.events
    ? given
    : { ...given, events: given.events.filter(event => event !== 'action') }

function refuseChat({ mode, threadId, exchange }: AgentBody): void {
  const path =
    mode === 'chat' ? 'mode' : threadId !== undefined ? 'threadId' : exchange?.enabled ? 'exchange' : null
  if (path === null) return
  throw new Failure(
    'feature.missing',
    `${path}: conversations are not supported; an agent request is one extraction. Leave it out`,
    { path },
  )
}

interface Started {
  job: Job
  invalid: string[]
  warnings: string[]
}

async function started(server: Server, request: FastifyRequest, wanted: ExtractionRequest): Promise<Started> {
  const { caller } = request
  const { schema, tokens: first } = await schemaFor(server, caller, wanted)
  const pages = await pagesFor(server, caller, wanted)
  const json = {
    type: 'json',
    schema: asObjectSchema(schema),
    ...(wanted.prompt && { prompt: wanted.prompt }),
  }
  const options = await preparedOptions(server, caller, optionsFor(wanted, json))
  const warnings = [...wanted.warnings, ...options.warnings]
  if (wanted.prompt !== undefined && !server.parts.model)
    warnings.push(`prompt: it needs a language model; the operator sets ${modelSettings}`)
  const jobId = randomUUID()
  const kept: StoredRequest = {
    ...{
      kind: wanted.kind,
      version: wanted.version,
      url: null,
      wanted: { ...wantedOf(options), warnings: [] },
    },
    webhook: storedWebhook(server.parts.sealer, jobId, wanted.webhook),
    extraction: {
      ...{
        schema,
        prompt: wanted.prompt ?? null,
        urls: pages.given,
        showSources: wanted.showSources,
        warnings,
      },
    },
  }
  const context = { ...specContext(server, caller, jobId), labels: requestLabels(kept) }
  const spec =
    pages.sites.length > 0
      ? siteSpec(wanted, pages, options, context)
      : listSpec(pages.urls, options, context)
  if (kept.webhook) await checkWebhook(server, spec, kept.webhook)
  const { job, isRepeated } = await submitFor(server, caller, spec, {
    ...{ face: 'firecrawl', idempotencyKey: idempotencyKeyIn(request), asked: request.body },
  })
  if (!isRepeated) await countTokens(server, job.id, first + options.tokens)
  return { job, invalid: pages.invalid, warnings }
}

/** The given schema. Without one, a model proposes the fields that the prompt asks for. */
async function schemaFor(
  server: Server,
  caller: Caller,
  { schema, prompt, urls }: ExtractionRequest,
): Promise<{ schema: JsonSchema; tokens: number }> {
  if (schema && Object.keys(schema).length > 0) return { schema, tokens: 0 }
  if (prompt === undefined)
    throw new Failure(
      'input.invalid',
      urls.length === 0
        ? 'urls: name the pages, or describe in prompt what to search for'
        : 'schema: name the fields in a JSON Schema, or describe them in prompt',
      { path: urls.length === 0 ? 'urls' : 'schema' },
    )
  const named = await proposedSchema(server, caller, prompt)
  if ('schema' in named) return named
  throw new Failure('feature.missing', `prompt: ${named.why}; name the fields in schema`, { path: 'schema' })
}

interface Pages {
  /** The URLs as the caller wrote them. */
  given: string[]
  urls: string[]
  /** URLs whose subpages are extracted too. */
  sites: string[]
  invalid: string[]
}

const isSite = (url: string): boolean => /\/\*$/.test(url)

async function pagesFor(server: Server, caller: Caller, wanted: ExtractionRequest): Promise<Pages> {
  const { urls, searches, mayIgnore, limit, prompt } = wanted
  const refusals = originRefusals(server)
  const { valid, invalid } =
    urls.length === 0 ? { valid: [], invalid: [] } : await sortUrls(urls, mayIgnore, refusals)
  const searched = searches && prompt !== undefined ? await searchedFor(server, caller, prompt) : []
  const more = searched.length === 0 ? [] : (await sortUrls(searched, true, refusals)).valid
  const all = [...new Set([...valid, ...more])].slice(0, limit ?? Number.POSITIVE_INFINITY)
  if (all.length === 0) throw nothingFound(server)
  return {
    given: urls,
    urls: all.filter(url => !isSite(url)),
    sites: all.filter(isSite).map(url => url.slice(0, -1)),
    invalid,
  }
}

async function searchedFor(server: Server, caller: Caller, query: string): Promise<string[]> {
  const search = { query: query.slice(0, 400), limit: searchedPages, kinds: ['web'] as const }
  const none = { categories: [], includeDomains: [], excludeDomains: [] }
  const { web } = await searchAll(server, caller, { ...search, ...none }, AbortSignal.timeout(30_000))
  return web.map(({ url }) => url)
}

const nothingFound = ({ parts }: Server): Failure =>
  new Failure(
    parts.webSearch ? 'input.invalid' : 'feature.missing',
    parts.webSearch
      ? 'urls: the search found no page for the prompt; name the pages in urls'
      : `urls: no page of this workspace fits the prompt, and no search engine is set up (${engineSetting}); name the pages in urls`,
    { path: 'urls' },
  )

/** The scrape options of an extraction. Replaces the caller's formats by `json`, because an extraction returns only fields. */
function optionsFor({ version, scrape }: ExtractionRequest, json: Record<string, unknown>): TheirOptions {
  const { type: _type, ...jsonOptions } = json
  const given = version === 1 ? { ...scrape, formats: ['json'], jsonOptions } : { ...scrape, formats: [json] }
  return { version, given } as unknown as TheirOptions
}

/** Crawls every site below its URL. Single pages are start pages too, but their links are not followed. */
function siteSpec(
  { crawl, limit }: ExtractionRequest,
  { urls, sites }: Pages,
  options: Parameters<typeof crawlSpec>[1],
  context: Parameters<typeof crawlSpec>[2],
): ReturnType<typeof crawlSpec> {
  const given = bodies[2].crawl.parse({
    ...crawl,
    url: sites[0]!,
    limit: limit ?? sitePages,
    crawlEntireDomain: true,
  })
  const below = sites.map(site => belowSite(site, crawl.allowSubdomains))
  const spec = crawlSpec(given, options, context)
  return { ...spec, seedUrls: [...sites, ...urls], include: crawl.allowExternalLinks ? [] : below }
}

/** A regular expression for all URLs below a site; with `hasSubdomains`, also on its subdomains. */
function belowSite(site: string, hasSubdomains: boolean): string {
  const { protocol, host, pathname } = new URL(site)
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `re-url:^${protocol}//${hasSubdomains ? '(?:[^/]+\\.)?' : ''}${literal(host)}${literal(pathname)}`
}
