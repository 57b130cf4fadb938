// The dependencies that the server gets from its process.
import type { FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Settings } from '../config/settings.ts'
import type { Listener } from '../lib/emitter.ts'
import type { Caller, Scope } from '../model/access.ts'
import type { ErasureReceipt, Readiness, ScrapersShown, WholeHealthReport } from '../model/api/operations.ts'
import type { AddedWork } from '../model/cluster-messages.ts'
import type { Diagnosis, ProfileRequest } from '../model/diagnosis.ts'
import type { BrowserPool, Events } from '../model/events.ts'
import type { ExtractionRules } from '../model/extraction-rules.ts'
import type { GivenSpec, Job } from '../model/job.ts'
import type { Page } from '../model/page/page.ts'
import type { PickAnswer, PickRequest } from '../model/picking.ts'
import type { Rate } from '../model/policy/policy.ts'
import type { FoundProxies, ProxyOptions, ProxyState, proxyPolicy } from '../model/policy/proxy.ts'
import type { StorageState } from '../model/policy/rendering.ts'
import type { FreedByKind } from '../model/policy/retention.ts'
import type { HostReport } from '../pipeline/report/host-report.ts'
import type { JobProgress } from '../pipeline/report/job-progress.ts'
import type { InlinedLook } from '../pipeline/report/look-files.ts'
import type { BrandingParts } from '../pipeline/report/page-branding.ts'
import type { FieldPlace } from '../pipeline/report/page-look.ts'
import type { PageModel } from '../pipeline/report/page-model.ts'
import type { PageTexts, TriedRules } from '../pipeline/report/try-rules.ts'
import type { WebSearch } from '../pipeline/report/web-search.ts'
import type { SeeAhead } from '../pipeline/submit/sample-pages.ts'
import type { SubmitOptions } from '../pipeline/submit/submit-job.ts'
import type { DocumentOptions, MadeDocument } from '../pipeline/work/documents/page-document.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { RequestKind, Store } from '../ports/store.ts'
import type { WorkerHeartbeat } from '../ports/stream-contents.ts'
import type { Traces } from '../ports/traces.ts'
import type { CachedResponses } from './http/cached-responses.ts'
import type { OpenResponses } from './http/open-responses.ts'

export interface ServerParts {
  store: Store
  blobs: Blobs
  clock: Clock
  engine: JobEngine
  /** Connects API processes with the workers that run browsers. */
  bus: Bus
  hosts: HostDirectory
  proxies: ProxyDirectory
  ownership: Ownership
  traces: Traces
  /** Encrypts stored secrets. */
  sealer: Sealer
  /** Scrapers that a job can name. */
  scrapers: ScraperDirectory
  sessions: SessionDirectory
  health: Health
  diagnostics: Diagnostics
  retention: RetentionService
  fleet: () => Fleet
  /** Extracts records from a page with rules; without rules, the default record. */
  tryRules: (page: Page, rules?: ExtractionRules) => Promise<TriedRules>
  pageTexts: (page: Page) => Promise<PageTexts | null>
  /** A page with its style sheets, fonts and images inlined; null if the page has no markup. */
  pageLook: (page: Page) => Promise<InlinedLook | null>
  /** The elements of a page from which the fields of records come. */
  fieldPlaces: (page: Page, rules: ExtractionRules) => Promise<FieldPlace[]>
  /** Proposes list rows and field selectors for a click in a page. */
  pick: (page: Page, request: PickRequest) => Promise<PickAnswer>
  /** Proposes fields for a description; null if no model is set up. */
  describe: ((page: Page, prompt: string, signal: AbortSignal) => Promise<PickAnswer>) | null
  /** The language model for pages and requests; null if none is set up. */
  model: PageModel | null
  /** The text of style sheets, fetched through the egress gate. */
  sheetTexts: BrandingParts['sheetTexts']
  /** The operator's web search engine; null if none is set up. */
  webSearch: WebSearch | null
  /** Fails with `page.too-costly` if the page takes too much time or memory. */
  pageDocument: (page: Page, options: DocumentOptions) => Promise<MadeDocument | null>
  /** Parses a page or a sitemap for a plan. */
  seeAhead: SeeAhead
  metrics: Metrics
  log: Log
  /** Called for each accepted job, to link its log lines to the request and the trace. */
  accepted: (job: Job, caller: Caller) => void
  version: string
  /** The secret that signs upload URLs. It must stay the same after a restart. */
  uploadKey: Uint8Array
  /** Folder for the output files of a job. */
  exportsFolder: (jobId: string) => string
  /** Folder of the built dashboard, if not the default. */
  dashboardFolder?: string | undefined
  /** Folder of the built guide, if not the default. */
  guideFolder?: string | undefined
  /** Aborted when the process begins to stop. Endless streams then end. */
  stopping: AbortSignal
  /** Demo mode: requests need no key, and only this machine may send them. */
  isDemo?: boolean
  /** Runs a function for one workspace, or for all workspaces (null). Needed by stores with row-level security. */
  within?: Within | undefined
}

export type Within = <Result>(workspace: string | null, work: () => Result) => Result

export interface Server {
  parts: ServerParts
  settings: Settings
  /** Clears the key cache after a key was revoked. */
  forgetKeys: () => void
}

/** The server with its authentication, for APIs that also use WebSockets. */
export interface GuardedServer extends Server {
  /** Finds the caller of a key. Throws if access is not allowed. */
  admit: (key: string | null, needs: Scope) => Promise<Caller>
  /** For routes that need no key: the caller, or null if the request has no key with the scope `read`. */
  callerOf: (request: FastifyRequest) => Promise<Caller | null>
  /** Cached responses for polled routes. */
  quick: CachedResponses
  /** Connections to end when their key is revoked. Responses to requests are included automatically. */
  open: OpenResponses
}

export interface JobEngine {
  /** The job is durable when the promise resolves. Rejects with `request.repeated` if the idempotency key was used
   *  before. */
  submit(spec: GivenSpec, options?: SubmitOptions): Promise<Job>
  /** Rejects if the job could not be submitted now. Writes nothing. */
  check(spec: GivenSpec, options?: SubmitOptions): Promise<void>
  /** Resolves with the job when the control request is done. */
  steer(jobId: string, kind: RequestKind): Promise<Job>
  /** Reports new tasks to the process that runs their jobs. The tasks are already stored, so a lost message does no harm. */
  fed(added: readonly AddedWork[]): Promise<void>
  /** Deletes an ended job; rejects for other jobs. */
  delete(jobId: string): Promise<void>
  progress(jobId: string): Promise<JobProgress>
  /** Returns a function that ends the subscription. */
  listen(listener: Listener): () => void
  /** Number of running lanes (in a cluster: of workers that fetch pages), and of tasks in flight. */
  readonly workers: { alive: number; inFlight: number }
}

export interface HostDirectory {
  report(host: string): Promise<HostReport>
  /** Hosts in order of name. `after` is the last host of the previous page. */
  list(page: { after: string; limit: number }): Promise<HostReport[]>
  /** Default rate and burst for hosts without a policy. */
  readonly usualPace: { rate: Rate; burst: number }
  /** Applies stored host overrides and lists; they are effective when this resolves. */
  refresh(): Promise<void>
}

/** The operator's proxies, without secrets. */
export interface ProxyDirectory {
  list(): Promise<ProxyState[]>
  /** Checks every proxy now and returns their state. */
  check(): Promise<ProxyState[]>
  /** The policy that selects a proxy with these options; null if no proxy has them. */
  find(options: ProxyOptions): FoundProxies | null
  /** Throws `input.invalid` if the proxy is not available. Returns warnings about ignored parts of the policy. */
  judge(proxy: z.input<typeof proxyPolicy>): string[]
}

/** Checks whether a requester controls a site. */
export interface Ownership {
  /** Looks for the token. `by` is the place where it was found, or null. `looked` lists the checked places. */
  prove(host: string, token: string): Promise<{ by: 'dns' | 'well-known' | null; looked: string[] }>
}

interface ScraperDirectory {
  /** Throws `scraper.unknown` and suggests the nearest name if there is no such scraper. */
  get(scraperId: string): unknown
  /** Ids of the providers whose credentials the scraper uses; usually none. */
  credentialsOf(scraperId: string): string[]
  ids(): string[]
  shown(): ScrapersShown
}

/** Named cookies and storage. */
interface SessionDirectory {
  list(): Promise<Array<{ name: string; savedAt: number; state: StorageState }>>
  save(name: string, state: StorageState): Promise<void>
  /** Deletes a session. Returns false if there is no session of that name. */
  remove(name: string): Promise<boolean>
}

/** Workers and browsers of the service. */
interface Fleet {
  workers: readonly WorkerHeartbeat[]
  /** Counters of the browser pool. Null if no browser has started yet. */
  browserPool: BrowserPool | null
}

/** Reports and profiles for troubleshooting. */
export interface Diagnostics {
  /** A report about a job, a worker or `service`, without secrets. Throws `job.unknown` for an unknown name. */
  report(name: string): Promise<Diagnosis>
  /** A file with the memory of the process, or with its call stacks. */
  profile(name: string, request: ProfileRequest): Promise<AsyncIterable<Uint8Array>>
}

/** Deletes expired data and erases data of hosts. */
export interface RetentionService {
  /** Deletes expired data; with a dry run only counts it. */
  deleteExpired(options: RetentionOptions): Promise<FreedByKind>
  /** Permanently deletes all data of a host. */
  erase(options: ErasureOptions): Promise<ErasureReceipt>
}

export interface RetentionOptions {
  dryRun: boolean
  /** Rewrites the store file after the deletion, so that the deleted data is no longer in the file. */
  compact: boolean
}

export interface ErasureOptions {
  host: string
  by: string
  dryRun: boolean
  /** Whether to add the host to the do-not-crawl list, with `reason`. */
  neverAgain: boolean
  reason?: string | undefined
}

export interface Health {
  report(): Promise<WholeHealthReport>
  /** Checks whether the service can fetch a page now. Returns the result of each check. */
  readiness(): Promise<Readiness>
}

export interface Metrics {
  /** The metrics in Prometheus text format, or in OpenMetrics if the client accepts it, with their content type. */
  text(accept?: string): Promise<{ type: string; body: string }>
  json(): Promise<Record<string, unknown>>
  /** Counts an event in the metrics. */
  hear<Name extends keyof Events>(name: Name, event: Events[Name]): void
  /** Counts a response. `route` is the route pattern, because there would be too many labels with real paths. */
  answered(answer: {
    method: string
    route: string
    status: number
    durationMs: number
    traceparent?: string | null
  }): void
}

type LogLine = (fields: object, message?: string) => void

/** A logger with pino's interface. */
export interface Log {
  level: string
  fatal: LogLine
  error: LogLine
  warn: LogLine
  info: LogLine
  debug: LogLine
  trace: LogLine
  silent: LogLine
  child: (bindings: Record<string, unknown>, options?: object) => Log
}
