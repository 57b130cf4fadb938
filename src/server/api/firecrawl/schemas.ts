// Request schemas of Firecrawl's clients: scrape options of both versions, crawls, batches and maps. Unknown keys are refused.
import * as z from 'zod'
import { requestHeaders, webhookUrl, webUrl } from '../../../model/job.ts'
import { paperFormats } from '../../../model/page/page-actions.ts'

const text = z.string().max(100_000)
const milliseconds = z.number().min(0).max(600_000)
const jsonSchema = z.record(z.string(), z.unknown())
const viewport = z.strictObject({ width: z.int().min(1).max(7_680), height: z.int().min(1).max(4_320) })
const quality = z.int().min(1).max(100)
const tags = z.array(z.string().min(1).max(1_000)).max(1_000)

/** Supported formats. For other formats the response has a `warning`. */
const plainFormats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'summary', 'branding'] as const
const otherFormats = ['product', 'menu', 'audio', 'video', 'question', 'highlights', 'query'] as const

const named = z.enum([...plainFormats, 'screenshot', 'json', 'attributes', 'changeTracking', ...otherFormats])

const screenshotFormat = z.strictObject({
  type: z.literal('screenshot'),
  fullPage: z.boolean().optional(),
  quality: quality.optional(),
  viewport: viewport.optional(),
})
const jsonFormat = z.strictObject({
  type: z.literal('json'),
  schema: jsonSchema.optional(),
  prompt: text.optional(),
})
const changeTracking = {
  modes: z.array(z.enum(['git-diff', 'json'])).optional(),
  schema: jsonSchema.optional(),
  prompt: text.optional(),
  tag: z.string().max(200).nullish(),
}
const attributes = z
  .array(z.strictObject({ selector: z.string().min(1).max(1_000), attribute: z.string().min(1).max(200) }))
  .min(1)
  .max(100)

const format = z.union([
  named,
  z.discriminatedUnion('type', [
    screenshotFormat,
    jsonFormat,
    z.strictObject({ type: z.literal('changeTracking'), ...changeTracking }),
    z.strictObject({ type: z.literal('attributes'), selectors: attributes }),
    z.looseObject({ type: z.enum(otherFormats) }),
    z.strictObject({ type: z.enum(plainFormats) }),
  ]),
])

const wait = z
  .strictObject({
    type: z.literal('wait'),
    milliseconds: milliseconds.max(60_000).optional(),
    selector: z.string().min(1).max(2_000).optional(),
  })
  .refine(given => (given.milliseconds === undefined) !== (given.selector === undefined), {
    message: 'needs either milliseconds or selector',
  })

const action = z.discriminatedUnion('type', [
  wait,
  z.strictObject({
    type: z.literal('click'),
    selector: z.string().min(1).max(2_000),
    all: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('write'), text }),
  z.strictObject({ type: z.literal('press'), key: z.string().min(1).max(50) }),
  z.strictObject({
    type: z.literal('scroll'),
    direction: z.enum(['up', 'down']).default('down'),
    selector: z.string().min(1).max(2_000).optional(),
  }),
  z.strictObject({
    type: z.literal('screenshot'),
    fullPage: z.boolean().default(false),
    quality: quality.optional(),
    viewport: viewport.optional(),
  }),
  z.strictObject({ type: z.literal('scrape') }),
  z.strictObject({ type: z.literal('executeJavascript'), script: z.string().min(1).max(100_000) }),
  z.strictObject({
    type: z.literal('pdf'),
    format: z.enum(paperFormats).default('Letter'),
    landscape: z.boolean().default(false),
    scale: z.number().min(0.1).max(2).default(1),
  }),
])
export type TheirAction = z.output<typeof action>

const longestWaitMs = 60_000
const actions = z
  .array(action)
  .max(50)
  .refine(
    list => list.reduce((sum, one) => sum + waitOf(one), 0) <= longestWaitMs,
    'all waits together must not exceed 60 seconds',
  )

const waitOf = (one: TheirAction): number => (one.type === 'wait' ? (one.milliseconds ?? 1_000) : 0)

const location = z.strictObject({
  country: z.string().max(100).optional(),
  languages: z.array(z.string().max(100)).max(20).optional(),
})

/** Options of both versions. */
const common = {
  headers: requestHeaders.optional(),
  includeTags: tags.optional(),
  excludeTags: tags.optional(),
  onlyMainContent: z.boolean().optional(),
  waitFor: milliseconds.max(60_000).optional(),
  timeout: z.int().min(1_000).max(300_000).optional(),
  mobile: z.boolean().optional(),
  actions: actions.optional(),
  location: location.optional(),
  skipTlsVerification: z.boolean().optional(),
  removeBase64Images: z.boolean().optional(),
  blockAds: z.boolean().optional(),
  proxy: z.enum(['auto', 'basic', 'stealth', 'enhanced']).optional(),
  maxAge: z.number().min(0).max(31_536_000_000).optional(),
  storeInCache: z.boolean().optional(),
  zeroDataRetention: z.boolean().optional(),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
}

/** Options that are accepted but not supported. Each one adds a warning. */
const beyond = {
  minAge: z.number().optional(),
  fastMode: z.boolean().optional(),
  lockdown: z.boolean().optional(),
  useMock: z.string().optional(),
  domainTools: z.unknown().optional(),
  threatProtection: z.unknown().optional(),
  auditMetadata: z.unknown().optional(),
}

export const optionsV2 = {
  ...common,
  ...beyond,
  formats: z.array(format).max(50).optional(),
  parsers: z
    .array(z.union([z.string(), z.looseObject({ type: z.string() })]))
    .max(20)
    .optional(),
  profile: z
    .strictObject({ name: z.string().min(1).max(100), saveChanges: z.boolean().optional() })
    .optional(),
  redactPII: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
}

export const optionsV1 = {
  ...common,
  ...beyond,
  formats: z
    .array(z.enum([...named.options, 'screenshot@fullPage', 'extract', 'content']))
    .max(50)
    .optional(),
  extract: z
    .strictObject({ schema: jsonSchema.optional(), prompt: text.optional(), systemPrompt: text.optional() })
    .optional(),
  jsonOptions: z
    .strictObject({ schema: jsonSchema.optional(), prompt: text.optional(), systemPrompt: text.optional() })
    .optional(),
  changeTrackingOptions: z.strictObject(changeTracking).optional(),
  parsePDF: z.boolean().optional(),
  agent: z.unknown().optional(),
}

export type OptionsV2 = z.output<z.ZodObject<typeof optionsV2>>
export type OptionsV1 = z.output<z.ZodObject<typeof optionsV1>>
export type TheirOptions = { version: 1; given: OptionsV1 } | { version: 2; given: OptionsV2 }

/** Like Firecrawl, adds https:// if the scheme is missing. In `host:8080`, `host` is not a scheme. */
export function withScheme(given: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(given) ? given : `https://${given}`
}

const address = z.string().trim().transform(withScheme).pipe(webUrl)

/** Headers that the HTTP client sets itself are refused. */
const headerName = z
  .string()
  .regex(
    /^(?!(?:host|connection|content-length|content-type|transfer-encoding)$)[\w!#$%&'*+.^`|~-]{1,200}$/i,
    'a header name',
  )

export const webhook = z.union([
  webhookUrl,
  z.strictObject({
    url: webhookUrl,
    headers: z.record(headerName, z.string().regex(/^[^\r\n\0]*$/, 'one line')).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    events: z.array(z.enum(['started', 'page', 'completed', 'failed', 'cancelled'])).optional(),
  }),
])
export type TheirWebhook = z.output<typeof webhook>

const batch = {
  urls: z.array(z.string().max(8_192)).min(1).max(100_000),
  webhook: webhook.optional(),
  appendToId: z.string().optional(),
  maxConcurrency: z.int().min(1).max(10_000).optional(),
}

const paths = z.array(z.string().min(1).max(1_900)).max(1_000).optional()

const crawl = {
  url: address,
  includePaths: paths,
  excludePaths: paths,
  limit: z.int().min(1).max(1_000_000_000).default(10_000),
  ignoreQueryParameters: z.boolean().default(false),
  deduplicateSimilarURLs: z.boolean().default(true),
  regexOnFullURL: z.boolean().default(false),
  allowExternalLinks: z.boolean().default(false),
  allowSubdomains: z.boolean().default(false),
  crawlEntireDomain: z.boolean().optional(),
  ignoreRobotsTxt: z.boolean().default(false),
  robotsUserAgent: z.string().max(500).optional(),
  delay: z.number().min(0).max(86_400).optional(),
  maxConcurrency: z.int().min(1).max(10_000).optional(),
  webhook: webhook.optional(),
  prompt: text.optional(),
  zeroDataRetention: z.boolean().optional(),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
}
const depth = z.int().min(0).max(1_000)

const map = {
  url: address,
  search: z.string().max(1_000).optional(),
  includeSubdomains: z.boolean().default(true),
  ignoreQueryParameters: z.boolean().default(true),
  ignoreCache: z.boolean().default(false),
  timeout: z.int().min(1_000).max(300_000).optional(),
  location: location.optional(),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
  threatProtection: z.unknown().optional(),
  auditMetadata: z.unknown().optional(),
}

export const bodies = {
  1: {
    scrape: z.strictObject({ url: address, ...optionsV1 }),
    batch: z.strictObject({ ...batch, ignoreInvalidURLs: z.boolean().default(false), ...optionsV1 }),
    crawl: z.strictObject({
      ...crawl,
      maxDepth: depth.default(10),
      maxDiscoveryDepth: depth.optional(),
      allowBackwardLinks: z.boolean().default(false),
      ignoreSitemap: z.boolean().default(false),
      scrapeOptions: z.strictObject(optionsV1).optional(),
    }),
    map: z.strictObject({
      ...map,
      ignoreSitemap: z.boolean().default(false),
      sitemapOnly: z.boolean().default(false),
      limit: z.int().min(1).max(30_000).default(5_000),
    }),
  },
  2: {
    scrape: z.strictObject({ url: address, ...optionsV2 }),
    batch: z.strictObject({ ...batch, ignoreInvalidURLs: z.boolean().default(true), ...optionsV2 }),
    crawl: z.strictObject({
      ...crawl,
      maxDiscoveryDepth: depth.optional(),
      sitemap: z.enum(['include', 'skip', 'only']).default('include'),
      scrapeOptions: z.strictObject(optionsV2).optional(),
    }),
    map: z.strictObject({
      ...map,
      sitemap: z.enum(['include', 'skip', 'only']).default('include'),
      limit: z.int().min(1).max(100_000).default(5_000),
    }),
  },
} as const

export type Version = keyof typeof bodies
export type CrawlV1 = z.output<(typeof bodies)[1]['crawl']>
export type CrawlV2 = z.output<(typeof bodies)[2]['crawl']>
export type MapV1 = z.output<(typeof bodies)[1]['map']>
export type MapV2 = z.output<(typeof bodies)[2]['map']>
