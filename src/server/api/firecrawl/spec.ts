// Turns Firecrawl options into a job: a list for scrapes and batches, a crawl, or a map.

import type { GivenSpec } from '../../../model/job.ts'
import { type PiiMode, stricterOf } from '../../../model/personal-data.ts'
import type { Rate } from '../../../model/policy/policy.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { rulesOfSchema } from '../../../pipeline/work/documents/schema-fields.ts'
import { answeredWithin } from '../../task-failure.ts'
import { ourActions, pictureSteps } from './actions.ts'
import type { ScrapeOptions } from './options.ts'
import type { CrawlV1, CrawlV2, MapV1, MapV2 } from './schemas.ts'

export interface SpecContext {
  jobId: string
  labels: Record<string, string>
  hasModel: boolean
  /** Default rate for hosts without a policy. */
  usualRate: Rate
  /** Default handling of personal data for jobs of the caller. */
  usualPii: PiiMode
}

export function listSpec(
  urls: readonly string[],
  options: ScrapeOptions,
  context: SpecContext,
  { concurrency, isAwaited = false }: { concurrency?: number | undefined; isAwaited?: boolean } = {},
): GivenSpec {
  const base = scrapeSpecOf(options, context)
  const spec = parseJobSpec({
    ...base,
    policy: { ...base.policy, ...(isAwaited && answeredWithin(options.timeoutMs)) },
    query: 'keep',
    ...(concurrency !== undefined && { concurrency }),
  })
  // Items have ids, so that a URL that occurs twice gets two results. Each URL is requested as written. The items are not
  // parsed, because a batch can have thousands and they are valid.
  return { ...spec, items: urls.map((url, index) => ({ itemId: `url-${index + 1}`, input: { url } })) }
}

function scrapeSpecOf(options: ScrapeOptions, { jobId, labels, hasModel, usualPii }: SpecContext) {
  const rules = options.json && hasModel ? rulesOfSchema(options.json.schema, options.json.prompt) : null
  const languages = options.languages.length === 0 ? {} : { 'accept-language': options.languages.join(', ') }
  return {
    jobId,
    labels,
    render: 'auto' as const,
    rendering: renderingOf(options),
    ...(stepsOf(options).length > 0 && { actions: stepsOf(options) }),
    ...(options.isStealth && { browser: 'stealth' as const }),
    ...(options.session !== null && { session: options.session }),
    ...(options.maxAgeMs !== null &&
      options.steps.length === 0 &&
      !options.hasScreenshot && { maxAgeMs: options.maxAgeMs }),
    headers: { ...languages, ...options.headers },
    ...(rules && { extract: rules, llm: 'fallback' as const }),
    ...(options.masksPersonalData && { pii: stricterOf('mask', usualPii) }),
    policy: {
      // Like Firecrawl, returns pages with an error status as documents.
      errorPages: 'keep',
      ...limitsOf(options),
      proxy: options.proxy,
      ...(options.triesAgain && { blocks: { retries: 1 } }),
    },
  }
}

const renderingOf = (options: ScrapeOptions) => ({
  ...(options.screenshot &&
    !needsSteps(options) && { screenshot: true, fullPage: options.screenshot.fullPage ?? false }),
  ...(options.waitForMs > 0 && { waitFor: options.waitForMs }),
  ...(options.isMobile && { mobile: true }),
  ...(options.blocksAds && { block: ['ads' as const] }),
})

/** Whether a browser step takes the screenshot. That is necessary after actions, and for a special size or quality. */
const needsSteps = ({ screenshot, steps }: ScrapeOptions): boolean =>
  steps.length > 0 || screenshot?.quality !== undefined || screenshot?.viewport !== undefined

const stepsOf = (options: ScrapeOptions) => [
  ...ourActions(options.steps),
  ...(options.screenshot && needsSteps(options) ? pictureSteps(options.screenshot) : []),
]

/** An attempt may take as long as the caller's timeout. In a browser, the wait that the caller requests is added. */
const limitsOf = ({ timeoutMs, waitForMs }: ScrapeOptions) => ({
  timeouts: { totalMs: timeoutMs, headersMs: timeoutMs },
  browser: {
    isolation: 'task' as const,
    navigationMs: timeoutMs,
    taskMs: timeoutMs + waitForMs,
  },
})

export function crawlSpec(given: CrawlV1 | CrawlV2, options: ScrapeOptions, context: SpecContext): GivenSpec {
  const base = scrapeSpecOf(options, context)
  const host = hostPolicy(given, context.usualRate)
  return parseJobSpec({
    ...base,
    seedUrls: [given.url],
    maxPages: given.limit,
    depth: depthOf(given),
    sitemap: sitemapOf(given),
    ...scopeOf(given),
    query: given.ignoreQueryParameters ? 'drop' : 'sort',
    ...(given.deduplicateSimilarURLs ? {} : { dedupe: false }),
    ...(given.maxConcurrency !== undefined && { concurrency: given.maxConcurrency }),
    policy: { ...base.policy, ...(given.ignoreRobotsTxt && { robots: 'ignore' }), ...host },
  })
}

const depthOf = (given: CrawlV1 | CrawlV2): number | undefined =>
  given.maxDiscoveryDepth ?? ('maxDepth' in given ? given.maxDepth : undefined)

const sitemapOf = (given: CrawlV1 | CrawlV2): 'include' | 'skip' | 'only' =>
  'sitemap' in given ? given.sitemap : given.ignoreSitemap ? 'skip' : 'include'

function scopeOf(given: CrawlV1 | CrawlV2) {
  const mark = given.regexOnFullURL ? 're-url:' : 're:'
  const below = pathBelow(given)
  return {
    include: (given.includePaths ?? []).map(path => `${mark}${path}`),
    exclude: [
      ...(given.excludePaths ?? []).map(path => `${mark}${path}`),
      ...(below === null ? [] : [`not-re:^${below}`]),
    ],
    subdomains: given.allowSubdomains,
    ...(given.allowExternalLinks && { allowedDomains: ['*'] }),
  }
}

/** Limits the crawl to paths below the start, unless the caller wants the whole site or other sites. */
function pathBelow(given: CrawlV1 | CrawlV2): string | null {
  const isWhole = given.crawlEntireDomain ?? ('allowBackwardLinks' in given && given.allowBackwardLinks)
  const { pathname } = new URL(given.url)
  if (isWhole || given.allowExternalLinks || pathname === '/') return null
  return pathname.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The host policy for the caller's delay. A delay can lower the rate, never raise it. */
function hostPolicy(
  { delay }: CrawlV1 | CrawlV2,
  usual: Rate,
): { host?: { rate: number; concurrency: number } } {
  if (!delay) return {}
  const rate = 1 / delay
  return usual === 'unlimited' || rate < usual ? { host: { rate, concurrency: 1 } } : {}
}

export const crawlWarnings = (given: CrawlV1 | CrawlV2): string[] => [
  ...(given.prompt === undefined ? [] : ['prompt: not supported; use includePaths and limit']),
  ...(given.robotsUserAgent === undefined
    ? []
    : ['robotsUserAgent: ignored; robots.txt rules for the user agent of this service apply']),
  ...(given.zeroDataRetention === true
    ? [
        'zeroDataRetention: ignored; pages are stored for the retention time of this service; DELETE /jobs/{id} deletes them',
      ]
    : []),
]

/** The highest `limit` of a map. */
const mostSearched = 100_000

export function mapSpec(
  given: MapV1 | MapV2,
  { proxy }: Pick<ScrapeOptions, 'proxy'>,
  { jobId, labels }: Pick<SpecContext, 'jobId' | 'labels'>,
): GivenSpec {
  const sitemap =
    'sitemap' in given ? given.sitemap : given.sitemapOnly ? 'only' : given.ignoreSitemap ? 'skip' : 'include'
  return parseJobSpec({
    ...{ jobId, labels, sitemap },
    seedUrls: [given.url],
    depth: 1,
    // A search covers the whole site; the limit applies to its results.
    maxPages: given.search === undefined ? given.limit : Math.max(given.limit, mostSearched),
    subdomains: given.includeSubdomains,
    query: given.ignoreQueryParameters ? 'drop' : 'sort',
    results: { raw: 'none' },
    headers: given.location?.languages ? { 'accept-language': given.location.languages.join(', ') } : {},
    policy: { proxy },
  })
}

export const mapWarnings = (given: MapV1 | MapV2): string[] =>
  (['threatProtection', 'auditMetadata'] as const)
    .filter(name => given[name] !== undefined)
    .map(name => `${name}: not supported and ignored`)
