// A job: what a caller asked for. The spec is what came in; the job is that and how far it got.
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

/** The legal moves. `jobs retry` and `jobs resume` reopen an ended job; `reextract` may find that it went better than it seemed. */
export const jobMoves: Readonly<Record<JobState, readonly JobState[]>> = {
  pending: ['running', 'paused', 'cancelled', 'failed'],
  running: ['paused', 'finishing', 'cancelled', 'failed'],
  // To itself: for another reason, which then decides when it goes on.
  paused: ['running', 'paused', 'cancelled', 'finishing'],
  finishing: ['completed', 'partially_completed', 'failed', 'cancelled', 'running'],
  completed: ['running'],
  partially_completed: ['running', 'completed'],
  failed: ['running', 'partially_completed', 'completed'],
  cancelled: ['running'],
}

export const hasEnded = (state: JobState): boolean =>
  state === 'completed' || state === 'partially_completed' || state === 'failed' || state === 'cancelled'

/** http(s) only, and short enough to be meant. What it points at is judged by the egress gate. */
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
  ...['warc.gz', 'wacz', 'cdxj'],
] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Those that hold pages, not records. */
export const pageFormats: ReadonlySet<OutputFormat> = new Set<OutputFormat>(['warc.gz', 'wacz', 'cdxj'])

export const output = z.strictObject({ path: z.string().min(1), format: z.enum(outputFormats) })
export type Output = z.infer<typeof output>

/** Said wrongly, these would send a request elsewhere or make two of one. */
const connectionHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'transfer-encoding'],
  ...['content-length', 'te', 'trailer', 'upgrade', 'expect'],
])

/** Webhooks are listed, logged and kept, so their address must hold no password. */
const hasUser = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

export const webhookUrl = webUrl.refine(
  url => !hasUser(url),
  'must hold no user name or password: leave them out, and verify the signature of the webhook instead (docs/webhooks.md)',
)

/** What a job sends to its sites. */
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

/** A row for a scraper, with the caller's own id, and how this one is to be done where that differs. */
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
  /** Which column of the rows holds the URL. */
  urlColumn: z.string().min(1).max(200).optional(),
  /** Which column of the rows holds a policy of their own, as JSON. */
  policyColumn: z.string().min(1).max(200).optional(),
  depth: z.int().min(0).max(1_000).optional(),
  maxPages: z.int().min(1).max(1_000_000_000).optional(),
  allowedDomains: z.array(domain).max(10_000).optional(),
  subdomains: z.boolean().default(false),
  include: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  exclude: z.array(z.string().min(1).max(2_000)).max(1_000).default([]),
  sitemap: z.enum(['include', 'skip', 'only']).default('include'),
  order: z.enum(['breadth', 'depth']).default('breadth'),
  nofollow: z.enum(['follow', 'obey']).default('obey'),
  query: z.enum(['sort', 'keep', 'drop']).default('sort'),
  /**
   * What a language model may do where rules found no value for a required field: nothing, give the value, or also propose
   * rules. Which model that is, is the operator's setting.
   */
  llm: z.enum(['off', 'fallback', 'propose-rules']).default('off'),
  /** Tokens that the job may spend on it, over all its runs. */
  llmTokens: z.int().min(1).max(1_000_000_000).default(200_000),
  /** E-mail addresses, phone numbers and the like in records: kept, masked or dropped. Default: `SCRAPER_PII`, which is `keep`. */
  pii: z.enum(piiModes).optional(),
  /**
   * Answers younger than this are used again without asking, also those of other jobs of the workspace; older ones are asked for with
   * their validators. Answers that something personal had a part in are not remembered. Without it, none are.
   */
  maxAgeMs: z.int().min(0).max(31_536_000_000).optional(),
  /** Same canonical or same body gives no second record. On for crawls, off for lists. */
  dedupe: z.boolean().optional(),
  /** Default: always where something is asked for that needs a browser, else what scraper and domain say, else never. */
  render: z.union([z.boolean(), z.enum(renderModes)]).optional(),
  /** What is asked of the browser where one is used. */
  rendering: rendering.prefault({}),
  browser: z.enum(browserKinds).default('plain'),
  /** What is done in each page before it is read: every page goes through the browser then. */
  actions: actions.optional(),
  /** Cookies and storage kept between runs under this name. */
  session: id.optional(),
  headers: requestHeaders.default({}),
  userAgent: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[^\r\n\0]*$/, 'one line')
    .optional(),
  /** A file of cookies to start with; only for jobs of one's own machine. */
  cookiesFile: z.string().min(1).optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  concurrency: z.int().min(1).max(10_000).optional(),
  policy: executionPolicy.prefault({}),
  results: z
    .strictObject({
      raw: z.enum(['segments', 'parquet', 'none']).default('segments'),
      layout: z.enum(['segments', 'items']).default('segments'),
      ...tableShape.shape,
    })
    .prefault({}),
  output: z.array(output).max(20).default([]),
  /** How long what it leaves behind is kept, where that differs from the operator's settings. */
  retention: jobRetention.optional(),
  webhookUrl: webhookUrl.optional(),
  labels: z.record(z.string().max(100), z.string().max(1_000)).default({}),
})
export type JobSpec = z.output<typeof jobSpec> & {
  /** Where the values of its policy came from; written when it is submitted, never asked for. */
  policyFrom?: PolicyOrigins
}
export type JobSpecInput = z.input<typeof jobSpec>

/** Whether a language model may be asked. A job from before there was one has no word on it. */
export const asksModel = ({ llm }: Partial<Pick<JobSpec, 'llm'>>): boolean =>
  llm === 'fallback' || llm === 'propose-rules'

/** As it was asked for: its policy is filled up when it is submitted, from the scraper's own and the defaults. */
export const givenSpec = jobSpec.extend({ policy: givenPolicy.prefault({}) })
export type GivenSpec = z.output<typeof givenSpec>

/** `crawl` follows links; `list` runs what it was given; `map` only gathers URLs. */
export type JobKind = 'crawl' | 'list' | 'map'

/** How far a file was read into tasks, so that a killed ingest goes on where it stopped. */
export interface IngestProgress {
  /** Where the rows come from; a path, `-`, an upload's key, or `queue:NAME`. Null when everything came with the spec. */
  source: string | null
  done: boolean
  /** Rows (lines) read so far, the position to resume at. */
  rows: number
  blank: number
  rejected: number
  duplicates: number
}

/** Stands before the name of a queue whose messages become tasks, in `source`. */
export const queueSource = 'queue:'

/** Whether tasks come from a queue: nothing is read, and more may come at any time. */
export const isFed = ({ source }: Pick<IngestProgress, 'source'>): boolean =>
  source?.startsWith(queueSource) === true

/** Where jobs come in. */
export const faces = ['cli', 'jobs', 'scrape', 'fetch', 'schedule', 'firecrawl', 'mcp', 'browsers'] as const
export type Face = (typeof faces)[number]

/** Whose a job is and how it came. */
export interface JobOrigin {
  workspace: string
  face: Face
  /** The key that it was submitted with; null for jobs of one's own machine. */
  keyId: string | null
  scheduleId: string | null
  /** Its span in the trace that it belongs to, as W3C writes it; null for jobs from before there were traces. */
  traceparent: string | null
}

export interface Job extends JobOrigin {
  id: string
  kind: JobKind
  spec: JobSpec
  state: JobState
  /** Why it is paused or how it ended: `breaker`, `storage.full`, `user`, `interrupted`, … */
  reason: string | null
  /** When a paused job goes on by itself. */
  resumeAt: number | null
  ingest: IngestProgress
  createdAt: number
  startedAt: number | null
  finishedAt: number | null
}

/** Counted in the same transaction as the moves that it counts. */
/**
 * Whether tasks that run when the job is cancelled keep their result. `/api/v1/scrape` promises that, except to a caller
 * who waited for the record and gave up. Everywhere else a cancel aborts what runs.
 */
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
  /** Pages whose markup the flat document was unsure of, so that they went through the slower, exact parser. */
  exactlyParsed: number
  /** Pages that a browser brought. */
  rendered: number
  /** Time that pages were in a browser, those of failed attempts too. */
  browserMs: number
  /** Tokens spent on a language model, over all runs. */
  llmTokens: number
  /** Links that were refused before a task was made, by reason. */
  linksRefused: Partial<Record<Reason, number>>
  /** Records and sitemaps with each warning, by code. */
  warnings: Record<string, number>
}
