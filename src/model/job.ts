// A job: the spec as submitted, and its state.
import * as z from 'zod'
import { extractionRules } from './extraction-rules.ts'
import { id } from './ids.ts'
import { actions } from './page/actions.ts'
import { piiModes } from './personal-data.ts'
import { executionPolicy, givenPolicy, itemPolicy } from './policy/policy.ts'
import type { PolicyOrigins } from './policy/policy-layers.ts'
import { browserKinds, rendering, renderModes } from './policy/rendering.ts'
import { jobRetention } from './policy/retention.ts'
import { tableShape } from './table-shape.ts'
import type { Reason, TaskState } from './task.ts'

export const jobStates = [
  'pending',
  'running',
  'paused',
  'finishing',
  'completed',
  'partially_completed',
  'failed',
  'cancelled',
] as const
export type JobState = (typeof jobStates)[number]

/** The allowed transitions. `jobs retry` and `jobs resume` reopen an ended job; `reextract` may improve its result. */
export const jobMoves: Readonly<Record<JobState, readonly JobState[]>> = {
  pending: ['running', 'paused', 'cancelled', 'failed'],
  running: ['paused', 'finishing', 'cancelled', 'failed'],
  // To itself: with another reason, which then decides when it resumes.
  paused: ['running', 'paused', 'cancelled', 'finishing'],
  finishing: ['completed', 'partially_completed', 'failed', 'cancelled', 'running'],
  completed: ['running'],
  partially_completed: ['running', 'completed'],
  failed: ['running', 'partially_completed', 'completed'],
  cancelled: ['running'],
}

export const hasEnded = (state: JobState): boolean =>
  state === 'completed' || state === 'partially_completed' || state === 'failed' || state === 'cancelled'

/** http(s) only, with a length limit. The egress gate checks the target. */
export const webUrl = z
  .string()
  .max(8_192, 'a URL of at most 8,192 characters')
  .refine(isWebUrl, 'an absolute http or https URL, like "https://example.com/"')

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
}

const domain = z
  .string()
  .regex(/^(\*\.)?[^\s/:@?#]+(:\d{1,5})?$/, 'a host name like "example.com" or "*.example.com"')

export const outputFormats = [
  ...['jsonl', 'json', 'csv', 'tsv', 'xlsx', 'parquet', 'md', 'sqlite'],
  ...['warc.gz', 'wacz', 'cdxj', 'har'],
] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Formats of pages, not records. */
export const pageFormats: ReadonlySet<OutputFormat> = new Set<OutputFormat>([
  'warc.gz',
  'wacz',
  'cdxj',
  'har',
])

const output = z.strictObject({ path: z.string().min(1), format: z.enum(outputFormats) })
export type Output = z.infer<typeof output>

/** Wrong values would misroute or split a request. */
const connectionHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'transfer-encoding'],
  ...['content-length', 'te', 'trailer', 'upgrade', 'expect'],
])

/** Webhook URLs are listed, logged and stored, so they must not contain a password. */
const hasUser = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

export const webhookUrl = webUrl.refine(
  url => !hasUser(url),
  'must not contain a user name or password; verify the signature of the webhook instead (docs/webhooks.md)',
)

/** Headers that a job sends to its sites. */
export const requestHeaders = z.record(
  z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name; use letters, digits and "-"')
    .refine(
      name => !connectionHeaders.has(name.toLowerCase()),
      'the connection itself sets this header; leave it out',
    ),
  z.string().regex(/^[^\r\n\0]*$/, 'a header value without line breaks'),
)

/** A row for a scraper, with the caller's id and its own policy. */
const item = z.strictObject({
  itemId: id.optional(),
  input: z.record(z.string(), z.unknown()),
  policy: itemPolicy.optional(),
})

/**
 * The body of `POST /jobs` and of `kscrape jobs create`, in camelCase (the edge maps from snake_case).
 * Exactly one source: `urls`, `items`, `seedUrls`, `sitemapUrl` or `uploadId`.
 */
export const jobSpec = z.strictObject({
  jobId: id.optional(),
  urls: z.array(webUrl).min(1).max(100_000).optional(),
  items: z.array(item).min(1).max(100_000).optional(),
  seedUrls: z.array(webUrl).min(1).max(10_000).optional(),
  sitemapUrl: webUrl.optional(),
  uploadId: id.optional(),
  scraperId: z.string().min(1).max(200).default('page'),
  extract: extractionRules.optional(),
  /** The column with the URL. */
  urlColumn: z.string().min(1).max(200).optional(),
  /** The column with a policy per row, as JSON. */
  policyColumn: z.string().min(1).max(200).optional(),
  depth: z.int().min(0).max(1_000).optional(),
  maxPages: z.int().min(1).max(1_000_000_000).optional(),
  allowedDomains: z.array(domain).max(10_000).optional(),
  subdomains: z.boolean().default(false),
  include: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  exclude: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  /** Default: `sitemapUse`. */
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  order: z.enum(['breadth', 'depth']).default('breadth'),
  nofollow: z.enum(['follow', 'obey']).default('obey'),
  query: z.enum(['sort', 'keep', 'drop']).default('sort'),
  /** What a language model may do for required fields without a value: nothing, give the value, or also propose rules. The
   *  operator configures the model. */
  llm: z.enum(['off', 'fallback', 'propose-rules']).default('off'),
  /** Token limit of the job, over all runs. */
  llmTokens: z.int().min(1).max(1_000_000_000).default(200_000),
  /** E-mail addresses, phone numbers and similar data in records: kept, masked or dropped. Default: `SCRAPER_PII`, which is
   *  `keep`. */
  pii: z.enum(piiModes).optional(),
  /** Cached responses younger than this are reused, also from other jobs of the workspace; older ones are revalidated.
   *  Responses that depend on personal data are never cached. Without it, nothing is cached. */
  maxAgeMs: z.int().min(0).max(31_536_000_000).optional(),
  /** The same canonical URL or body gives no second record. On for crawls, off for lists. */
  dedupe: z.boolean().optional(),
  /** Default: `always` if an option needs a browser, else the scraper's or domain's mode, else `never`. */
  render: z.union([z.boolean(), z.enum(renderModes)]).optional(),
  /** Options of the browser. */
  rendering: rendering.prefault({}),
  browser: z.enum(browserKinds).default('plain'),
  /** Actions in each page before it is parsed; every page then uses the browser. */
  actions: actions.optional(),
  /** Cookies and storage are stored under this name between runs. */
  session: id.optional(),
  headers: requestHeaders.default({}),
  userAgent: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[^\r\n\0]*$/, 'one line')
    .optional(),
  /** A file of initial cookies; only for local jobs. */
  cookiesFile: z.string().min(1).optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  concurrency: z.int().min(1).max(10_000).optional(),
  policy: executionPolicy.prefault({}),
  results: z
    .strictObject({
      raw: z.enum(['segments', 'parquet', 'none']).default('segments'),
      layout: z.enum(['segments', 'items']).default('segments'),
      /** `page`: rendered pages keep everything that they loaded, so that an archive of them replays. */
      archive: z.enum(['none', 'page']).default('none'),
      /** Of all bodies that one page loaded. */
      archiveMaxBytes: z.int().min(1).max(1_073_741_824).default(52_428_800),
      ...tableShape.shape,
    })
    .refine(
      ({ raw, archive }) => raw !== 'none' || archive === 'none',
      'archive "page" stores raw pages, and raw "none" stores none; remove one of them',
    )
    .prefault({}),
  output: z.array(output).max(20).default([]),
  /** Own retention, if it differs from the operator's settings. */
  retention: jobRetention.optional(),
  webhookUrl: webhookUrl.optional(),
  labels: z.record(z.string().max(100), z.string().max(1_000)).default({}),
})
export type JobSpec = z.output<typeof jobSpec> & {
  /** The origin of each policy value; written at submission, never given by callers. */
  policyFrom?: PolicyOrigins
}
export type JobSpecInput = z.input<typeof jobSpec>

/** A crawl of depth 0 is about its start pages alone, unless it asks for sitemaps. */
export const sitemapUse = ({
  sitemap,
  depth,
}: Pick<JobSpec, 'sitemap' | 'depth'>): NonNullable<JobSpec['sitemap']> =>
  sitemap ?? (depth === 0 ? 'skip' : 'include')

/** Whether a language model may be used. Old jobs have no such field. */
export const asksModel = ({ llm }: Partial<Pick<JobSpec, 'llm'>>): boolean =>
  llm === 'fallback' || llm === 'propose-rules'

/** As given: the policy is completed at submission with the scraper's policy and the defaults. */
export const givenSpec = jobSpec.extend({ policy: givenPolicy.prefault({}) })
export type GivenSpec = z.output<typeof givenSpec>

/** `crawl` follows links; `list` runs the given items; `map` only collects URLs. */
export type JobKind = 'crawl' | 'list' | 'map'

/** Progress of reading a file, so that a killed ingest continues there. */
export interface IngestProgress {
  /** Source of the rows: a path, `-`, an upload key, or `queue:NAME`. Null if the spec has everything. */
  source: string | null
  done: boolean
  /** Rows (lines) read so far; the resume position. */
  rows: number
  blank: number
  rejected: number
  duplicates: number
}

/** Prefix of a queue name in `source`. */
export const queueSource = 'queue:'

/** Whether tasks come from a queue: nothing is read, and more may arrive at any time. */
export const isFed = ({ source }: Pick<IngestProgress, 'source'>): boolean =>
  source?.startsWith(queueSource) === true

/** The APIs that create jobs. */
export const faces = ['cli', 'jobs', 'scrape', 'fetch', 'schedule', 'firecrawl', 'mcp', 'browsers'] as const
export type Face = (typeof faces)[number]

/** Owner and origin of a job. */
export interface JobOrigin {
  workspace: string
  face: Face
  /** The key that submitted it; null for local jobs. */
  keyId: string | null
  scheduleId: string | null
  /** Its span as W3C `traceparent`; null for old jobs. */
  traceparent: string | null
}

export interface Job extends JobOrigin {
  id: string
  kind: JobKind
  spec: JobSpec
  state: JobState
  /** Why it is paused or how it ended: `breaker`, `storage.full`, `user`, `interrupted`, … */
  reason: string | null
  /** When a paused job resumes automatically. */
  resumeAt: number | null
  ingest: IngestProgress
  createdAt: number
  startedAt: number | null
  finishedAt: number | null
}

/** Counted in the same transaction as the moves that it counts. */
/** Whether running tasks keep their result after a cancel. `/api/v1/scrape` promises that, except to a caller that waited
 *  and gave up. Elsewhere a cancel aborts running tasks. */
export const letsTasksFinish = ({ face, spec }: Pick<Job, 'face' | 'spec'>): boolean =>
  face === 'scrape' && !spec.policy.answerWithinMs

export interface JobCounts {
  tasks: number
  records: number
  bytes: number
  byState: Record<TaskState, number>
  byReason: Partial<Record<Reason, number>>
  /** Pages that succeeded, sitemaps not counted. */
  pages: number
  /** Pages that needed the slower, exact parser. */
  exactlyParsed: number
  /** Pages that a browser brought. */
  rendered: number
  /** Time that pages were in a browser, those of failed attempts too. */
  browserMs: number
  /** Tokens spent on a language model, over all runs. */
  llmTokens: number
  /** Links refused before a task was created, by reason. */
  linksRefused: Partial<Record<Reason, number>>
  /** Records and sitemaps with each warning, by code. */
  warnings: Record<string, number>
}
