// What the faces are made of: all that the server needs from the process it runs in.
import type * as z from 'zod'
import type { Settings } from '../config/settings.ts'
import type { Listener } from '../lib/emitter.ts'
import type { Caller, Scope } from '../model/access.ts'
import type { Diagnosis, ProfileRequest } from '../model/diagnosis.ts'
import type { ErasureReceipt } from '../model/erasure.ts'
import type { BrowserPool, Events } from '../model/events.ts'
import type { ExtractionRules } from '../model/extraction-rules.ts'
import type { AddedWork } from '../model/hand-over.ts'
import type { GivenSpec, Job } from '../model/job.ts'
import type { Page } from '../model/page/page.ts'
import type { Rate } from '../model/policy/policy.ts'
import type { FoundProxies, ProxyOptions, ProxyState, proxyPolicy } from '../model/policy/proxy.ts'
import type { FreedByKind } from '../model/policy/retention.ts'
import type { HostReport } from '../pipeline/report/host-report.ts'
import type { JobProgress } from '../pipeline/report/job-progress.ts'
import type { PageTexts, TriedRules } from '../pipeline/report/try-rules.ts'
import type { SeeAhead } from '../pipeline/submit/look-ahead.ts'
import type { SubmitOptions } from '../pipeline/submit/submit-job.ts'
import type { DocumentOptions, MadeDocument } from '../pipeline/work/page-document.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { RequestKind, Store } from '../ports/store.ts'
import type { WorkerSign } from '../ports/stream-contents.ts'
import type { Traces } from '../ports/traces.ts'
import type { OpenAnswers } from './open-answers.ts'
import type { QuickAnswers } from './quick-answers.ts'

export interface ServerParts {
  store: Store
  blobs: Blobs
  clock: Clock
  engine: JobEngine
  /** Connects callers to browsers. */
  bus: Bus
  hosts: HostDirectory
  proxies: ProxyDirectory
  ownership: Ownership
  traces: Traces
  /** For what is stored and must not be read there. */
  sealer: Sealer
  /** Scrapers that a job can name. */
  scrapers: ScraperDirectory
  health: Health
  diagnostics: Diagnostics
  retention: RetentionService
  fleet: () => Fleet
  /** What rules would make of a page; without rules, its default record. */
  tryRules: (page: Page, rules?: ExtractionRules) => Promise<TriedRules>
  pageTexts: (page: Page) => Promise<PageTexts | null>
  /** Fails with `page.too-costly` where the page takes too much time or memory. */
  pageDocument: (page: Page, options: DocumentOptions) => Promise<MadeDocument | null>
  /** Reads a page or a sitemap for a plan. */
  seeAhead: SeeAhead
  metrics: Metrics
  log: Log
  /** A job was accepted: its log lines carry the request that it came with, and its trace. */
  accepted: (job: Job, caller: Caller) => void
  version: string
  /** What the URLs of uploads are signed with; the same after a restart. */
  uploadKey: Uint8Array
  /** Where files that a job asks for are put: one folder per job. */
  exportsFolder: (jobId: string) => string
  /** Where the dashboard was built to, if not to its usual place. */
  dashboardFolder?: string | undefined
  /** Aborted when the process is asked to stop: streams that would go on for ever end then. */
  stopping: AbortSignal
  /** Needs no key, and answers this machine alone. */
  isDemo?: boolean
  /** Where the store keeps workspaces apart by itself: does the work on behalf of one of them, or (null) of all. */
  within?: Within | undefined
}

export type Within = <Result>(workspace: string | null, work: () => Result) => Result

export interface Server {
  parts: ServerParts
  settings: Settings
  /** Keys are looked up anew from now on: one was revoked. */
  forgetKeys: () => void
}

/** With the keeper of the door beside it, for faces that are asked by another way than a request. */
export interface GuardedServer extends Server {
  /** Whose a key is. Throws what forbids it. */
  admit: (key: string | null, needs: Scope) => Promise<Caller>
  /** For answers that are asked for again and again. */
  quick: QuickAnswers
  /** What ends when its key is revoked. Answers to requests are in it anyway. */
  open: OpenAnswers
}

export interface JobEngine {
  /** Durable when it resolves. Rejects with `request.repeated` for an idempotency key that was used before. */
  submit(spec: GivenSpec, options?: SubmitOptions): Promise<Job>
  /** Throws what would forbid to submit it now; writes nothing. */
  check(spec: GivenSpec, options?: SubmitOptions): void
  /** Done when it resolves, and answers with the job as it is then. */
  steer(jobId: string, kind: RequestKind): Promise<Job>
  /** Tasks came to jobs from outside, and are in the store: a hint for the process that runs the jobs. */
  fed(added: readonly AddedWork[]): Promise<void>
  /** Only what has ended. */
  delete(jobId: string): Promise<void>
  progress(jobId: string): Promise<JobProgress>
  /** Returns what ends the listening. */
  listen(listener: Listener): () => void
  /** Lanes that take work, and the tasks in hand. */
  readonly workers: { alive: number; inFlight: number }
}

export interface HostDirectory {
  report(host: string): Promise<HostReport>
  /** By name; `after` is the last one of the page before. */
  list(page: { after: string; limit: number }): Promise<HostReport[]>
  /** How hosts are asked that nothing is written for, by jobs that say nothing. */
  readonly usualPace: { rate: Rate; burst: number }
  /** Puts in force what the store says about hosts and lists; it holds when this resolves. */
  refresh(): Promise<void>
}

/** The operator's proxies, without anything secret. */
export interface ProxyDirectory {
  list(): Promise<ProxyState[]>
  /** Tries each of them now, and says how they are then. */
  check(): Promise<ProxyState[]>
  /** What a job says to go through such a proxy; null where there is none. */
  find(options: ProxyOptions): FoundProxies | null
  /** Throws `input.invalid` for what can't be had here, and tells what is left out of the rest. */
  judge(proxy: z.input<typeof proxyPolicy>): string[]
}

/** Whether whoever asks has a say over a site. */
export interface Ownership {
  /** By which of the two ways the token was found; null when by neither, with what was looked at. */
  prove(host: string, token: string): Promise<{ by: 'dns' | 'well-known' | null; looked: string[] }>
}

export interface ScraperDirectory {
  /** Throws `scraper.unknown` with what it may have meant. */
  get(scraperId: string): unknown
  /** The providers whose credentials it works with; none for most. */
  credentialsOf(scraperId: string): string[]
  ids(): string[]
}

/** Who works here. */
export interface Fleet {
  workers: readonly WorkerSign[]
  /** Null where no browser was asked for so far. */
  browserPool: BrowserPool | null
}

export interface HealthReport {
  status: 'ok' | 'degraded'
  version: string
  uptimeSeconds: number
  /** Null where no browser was asked for so far. */
  browserPool: Omit<BrowserPool, 'browsers'>
  proxies: {
    healthy: number
    unhealthy: number
    each: Array<{ healthy: boolean; successes: number; failures: number }>
  }
  queue: { queueDepth: number; activeWorkers: number; avgDuration: number | null }
}

export interface Readiness {
  ready: boolean
  /** What was looked at, each with `ok` or what is wrong. */
  checks: Record<string, string>
}

/** What is worth knowing when something is wrong. */
export interface Diagnostics {
  /** Of a job, a worker or `service`; without secrets. Throws `job.unknown` where there is nothing of that name. */
  report(name: string): Promise<Diagnosis>
  /** Holds whatever is in the memory of the process, or what it did. */
  profile(name: string, request: ProfileRequest): Promise<AsyncIterable<Uint8Array>>
}

/** What is kept, and how it goes. */
export interface RetentionService {
  /** Takes away what was kept long enough, or says what would go. */
  deleteExpired(options: RetentionOptions): Promise<FreedByKind>
  /** Takes everything away that was kept of a host, for good. */
  erase(options: ErasureOptions): Promise<ErasureReceipt>
}

export interface RetentionOptions {
  dryRun: boolean
  /** Then writes the store anew, so that what was deleted is gone from its file. */
  compact: boolean
}

export interface ErasureOptions {
  host: string
  by: string
  dryRun: boolean
  /** Puts it on the do-not-crawl list, for that reason. */
  neverAgain: boolean
  reason?: string | undefined
}

export interface Health {
  report(): Promise<HealthReport>
  /** True only if a page could really be fetched now. */
  readiness(): Promise<Readiness>
}

export interface Metrics {
  /** Prometheus' text format, and its content type; OpenMetrics' where that is accepted. */
  text(accept?: string): Promise<{ type: string; body: string }>
  json(): Promise<Record<string, unknown>>
  /** Counts what was announced. */
  hear<Name extends keyof Events>(name: Name, event: Events[Name]): void
  /** Counts an answer; `route` is the pattern, so that there are only so many. */
  answered(answer: {
    method: string
    route: string
    status: number
    durationMs: number
    traceparent?: string | null
  }): void
}

type LogLine = (fields: object, message?: string) => void

/** A logger in pino's manner. */
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
