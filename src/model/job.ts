// A job: the spec as submitted, and the state of the job.
import * as z from 'zod'
import { extractionRules } from './extraction-rules.ts'
import { reservedNameIn } from './followed.ts'
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
  // A paused job may be paused again with another reason. The new reason decides when the job resumes.
  paused: ['running', 'paused', 'cancelled', 'finishing'],
  finishing: ['completed', 'partially_completed', 'failed', 'cancelled', 'running'],
  completed: ['running'],
  partially_completed: ['running', 'completed'],
  failed: ['running', 'partially_completed', 'completed'],
  cancelled: ['running'],
}

/** The states of jobs that have not ended. */
export const openStates = ['pending', 'running', 'paused', 'finishing'] as const satisfies JobState[]

export const hasEnded = (state: JobState): boolean =>
  state === 'completed' || state === 'partially_completed' || state === 'failed' || state === 'cancelled'

/** An http or https URL with a length limit. The egress gate checks the address later, when it connects. */
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

/** Output formats that contain raw pages. All others contain records. */
export const pageFormats: ReadonlySet<OutputFormat> = new Set<OutputFormat>([
  'warc.gz',
  'wacz',
  'cdxj',
  'har',
])

const output = z.strictObject({ path: z.string().min(1), format: z.enum(outputFormats) })
export type Output = z.infer<typeof output>

/** Headers that a job must not set, because wrong values would misroute or split a request. */
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

/** An item: an input row for a scraper, with an optional id and policy of this item. */
const item = z.strictObject({
  itemId: id.optional(),
  input: z.record(z.string(), z.unknown()).superRefine((row, context) => {
    const message = reservedNameIn(row)
    if (message !== null) context.addIssue({ code: 'custom', message })
  }),
  policy: itemPolicy.optional(),
})

/** The body of `POST /jobs` and of `kscrape jobs create`, in camelCase; snake_case names are converted before validation. It
 *  has exactly one source: `urls`, `items`, `seedUrls`, `sitemapUrl` or `uploadId`. */
export const jobSpec = z.strictObject({
  jobId: id.optional(),
  urls: z.array(webUrl).min(1).max(100_000).optional(),
  items: z.array(item).min(1).max(100_000).optional(),
  seedUrls: z.array(webUrl).min(1).max(10_000).optional(),
  sitemapUrl: webUrl.optional(),
  uploadId: id.optional(),
  scraperId: z.string().min(1).max(200).default('page'),
  extract: extractionRules.optional(),
  /** Name of the column that contains the URL. */
  urlColumn: z.string().min(1).max(200).optional(),
  /** Name of the column that contains the policy of each row, as JSON. */
  policyColumn: z.string().min(1).max(200).optional(),
  depth: z.int().min(0).max(1_000).optional(),
  maxPages: z.int().min(1).max(1_000_000_000).optional(),
  allowedDomains: z.array(domain).max(10_000).optional(),
  subdomains: z.boolean().default(false),
  include: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  exclude: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  /** The default depends on `depth`: see the function `sitemapUse`. */
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  order: z.enum(['breadth', 'depth']).default('breadth'),
  nofollow: z.enum(['follow', 'obey']).default('obey'),
  query: z.enum(['sort', 'keep', 'drop']).default('sort'),
  /** What a language model may do for required and wanted fields without a value: nothing, give the value, or also propose rules. The
   *  operator configures the model. */
  llm: z.enum(['off', 'fallback', 'propose-rules']).default('off'),
  /** Limit of language model tokens for the whole job. */
  llmTokens: z.int().min(1).max(1_000_000_000).default(200_000),
  /** E-mail addresses, phone numbers and similar data in records: kept, masked or dropped. Default: the setting `SCRAPER_PII`,
   *  whose own default is `keep`. */
  pii: z.enum(piiModes).optional(),
  /** Cached responses younger than this are reused, also from other jobs of the workspace; older ones are revalidated.
   *  Responses of jobs with cookies, a session, actions or another identity are never cached. If unset, nothing is
   *  cached. */
  maxAgeMs: z.int().min(0).max(31_536_000_000).optional(),
  /** Whether pages with the same canonical URL or body are skipped as duplicates. Default: on for crawls, off for lists. */
  dedupe: z.boolean().optional(),
  /** Whether pages are loaded in a browser. Default: `always` if another option needs a browser, else the mode of the scraper
   *  or the domain, else `never`. */
  render: z.union([z.boolean(), z.enum(renderModes)]).optional(),
  /** Options of the browser. */
  rendering: rendering.prefault({}),
  browser: z.enum(browserKinds).default('plain'),
  /** Actions that run in each page before it is parsed. With actions, every page uses the browser. */
  actions: actions.optional(),
  /** The name under which cookies and storage are stored between runs. */
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
      /** `page` also stores every resource that a rendered page loaded, so that an archive viewer can replay the
       *  page. */
      archive: z.enum(['none', 'page']).default('none'),
      /** Limit of the total size of all bodies that one page loaded. */
      archiveMaxBytes: z.int().min(1).max(1_073_741_824).default(52_428_800),
      ...tableShape.shape,
    })
    .refine(
      ({ raw, archive }) => raw !== 'none' || archive === 'none',
      'archive "page" stores raw pages, and raw "none" stores none; remove one of them',
    )
    .prefault({}),
  output: z.array(output).max(20).default([]),
  /** The retention of this job. Unset values use the operator's settings. */
  retention: jobRetention.optional(),
  webhookUrl: webhookUrl.optional(),
  labels: z.record(z.string().max(100), z.string().max(1_000)).default({}),
})
export type JobSpec = z.output<typeof jobSpec> & {
  /** The origin of each policy value; written at submission, never given by callers. */
  policyFrom?: PolicyOrigins
}
export type JobSpecInput = z.input<typeof jobSpec>

/** Whether a crawl uses sitemaps. A crawl of depth 0 fetches only its start pages, unless the spec requests sitemaps. */
export const sitemapUse = ({
  sitemap,
  depth,
}: Pick<JobSpec, 'sitemap' | 'depth'>): NonNullable<JobSpec['sitemap']> =>
  sitemap ?? (depth === 0 ? 'skip' : 'include')

/** Whether a language model may be used. Old jobs have no such field. */
export const asksModel = ({ llm }: Partial<Pick<JobSpec, 'llm'>>): boolean =>
  llm === 'fallback' || llm === 'propose-rules'

/** The spec as callers give it. At submission, the scraper's policy and the defaults complete the caller's policy. */
export const givenSpec = jobSpec.extend({ policy: givenPolicy.prefault({}) })
export type GivenSpec = z.output<typeof givenSpec>

/** `crawl` follows links; `list` runs the given items; `map` only collects URLs. */
export type JobKind = 'crawl' | 'list' | 'map'

/** Progress of reading the source of a job. After a crash, the ingest continues at this position. */
export interface IngestProgress {
  /** Source of the rows: a path, `-`, an upload key, or `queue:NAME`. Null if the spec itself contains the URLs or
   *  items. */
  source: string | null
  done: boolean
  /** Number of rows (lines) read so far. After a crash, reading continues there. */
  rows: number
  blank: number
  rejected: number
  duplicates: number
}

/** Prefix of `source` for jobs whose tasks come from a message queue. */
export const queueSource = 'queue:'

/** Whether the tasks of a job come from a message queue. Then no source is read, and tasks may arrive at any time. */
export const isFed = ({ source }: Pick<IngestProgress, 'source'>): boolean =>
  source?.startsWith(queueSource) === true

/** The APIs that create jobs. */
export const faces = ['cli', 'jobs', 'scrape', 'fetch', 'schedule', 'firecrawl', 'mcp', 'browsers'] as const
export type Face = (typeof faces)[number]

/** Owner and origin of a job. */
export interface JobOrigin {
  workspace: string
  face: Face
  /** The key that submitted the job; null for local jobs. */
  keyId: string | null
  scheduleId: string | null
  /** The span of the job as W3C `traceparent`; null for jobs of an old version. */
  traceparent: string | null
}

export interface Job extends JobOrigin {
  id: string
  kind: JobKind
  spec: JobSpec
  state: JobState
  /** Why the job is paused, or how it ended: `breaker`, `storage.full`, `user`, `interrupted`, … */
  reason: string | null
  /** When a paused job resumes automatically. */
  resumeAt: number | null
  ingest: IngestProgress
  createdAt: number
  startedAt: number | null
  finishedAt: number | null
}

/** Whether running tasks may finish after a cancel. True for jobs of `/api/v1/scrape` whose caller does not wait for the
 *  response. For all other jobs, a cancel aborts running tasks. */
export const letsTasksFinish = ({ face, spec }: Pick<Job, 'face' | 'spec'>): boolean =>
  face === 'scrape' && !spec.policy.answerWithinMs

/** Counters of a job. The store updates them in the same transaction as the tasks that they count. */
export interface JobCounts {
  tasks: number
  records: number
  bytes: number
  byState: Record<TaskState, number>
  byReason: Partial<Record<Reason, number>>
  /** Number of pages that succeeded. Sitemaps do not count. */
  pages: number
  /** Number of pages that needed the slower, exact parser. */
  exactlyParsed: number
  /** Number of pages that were loaded in a browser. */
  rendered: number
  /** Time that pages were open in a browser, including failed attempts. */
  browserMs: number
  /** Number of language model tokens that the job has used, in all its runs. */
  llmTokens: number
  /** Number of links that were refused before a task was created, by reason. */
  linksRefused: Partial<Record<Reason, number>>
  /** Number of records and sitemaps with a warning, by warning code. */
  warnings: Record<string, number>
}
