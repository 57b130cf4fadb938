// kscrape/client: a service as typed methods, for Node and for browsers.

import { Browsers } from './client/browsers.ts'
import { Connection, type ConnectionOptions, pathTo } from './client/connection.ts'
import { Diagnostics } from './client/diagnostics.ts'
import { eventsOf } from './client/event-stream.ts'
import { Hosts } from './client/hosts.ts'
import type { NewJob, ServiceEvent } from './client/job-types.ts'
import { Jobs } from './client/jobs.ts'
import { Keys } from './client/keys.ts'
import { Listings } from './client/listings.ts'
import { Monitors } from './client/monitors.ts'
import { Previews } from './client/previews.ts'
import { Proxies } from './client/proxies.ts'
import { Schedules } from './client/schedules.ts'
import { type FoundRecord, type SearchQuery, search } from './client/search.ts'
import { Uploads } from './client/uploads.ts'
import { Webhooks } from './client/webhooks.ts'
import type {
  HealthReport,
  ScrapersShown,
  SessionShown,
  SettingShown,
  WorkersShown,
} from './model/api/operations.ts'
import type { JobPlan } from './model/api/plan.ts'
import type {
  Account,
  Activity,
  ActivityOfJobs,
  ActivityOfJobsFilter,
  ActivityRange,
} from './model/api/service.ts'
import type { FreedByKind } from './model/policy/retention.ts'

export type ClientOptions = ConnectionOptions

/** `const client = new Client({ server: 'http://127.0.0.1:8001', apiKey })`  Refusals are thrown as `ApiError` with code,
 *  field and request id. 429 and 503 are retried. */
export class Client {
  readonly server: string
  readonly jobs: Jobs
  readonly uploads: Uploads
  readonly schedules: Schedules
  /** Watched pages. */
  readonly monitors: Monitors
  readonly webhooks: Webhooks
  readonly hosts: Hosts
  readonly proxies: Proxies
  /** Browser pages in use. */
  readonly browsers: Browsers
  /** The do-not-crawl list. */
  readonly doNotCrawl: Listings
  readonly keys: Keys
  readonly diagnostics: Diagnostics
  readonly previews: Previews
  readonly #connection: Connection

  constructor(options: ClientOptions) {
    const connection = new Connection(options)
    this.#connection = connection
    this.server = connection.server
    this.jobs = new Jobs(connection)
    this.uploads = new Uploads(connection)
    this.schedules = new Schedules(connection)
    this.monitors = new Monitors(connection)
    this.webhooks = new Webhooks(connection)
    this.hosts = new Hosts(connection)
    this.proxies = new Proxies(connection)
    this.browsers = new Browsers(connection)
    this.doNotCrawl = new Listings(connection)
    this.keys = new Keys(connection)
    this.diagnostics = new Diagnostics(connection)
    this.previews = new Previews(connection)
  }

  /** Records of the workspace, newest first, over all its jobs. */
  search(query: SearchQuery, { pageSize }: { pageSize?: number } = {}): AsyncGenerator<FoundRecord> {
    return search(this.#connection, query, pageSize)
  }

  /** Events of all jobs of the workspace; ends with the connection. */
  events({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<ServiceEvent> {
    return eventsOf<ServiceEvent>(this.#connection, '/events', signal)
  }

  /** Estimates the pages, time and cost of a job. Fetches robots.txt, sitemaps and up to 20 pages politely, and stores none of them. */
  plan(job: NewJob): Promise<JobPlan> {
    return this.#connection.json('/plan', { body: job })
  }

  /** Pages, records and errors of all jobs of the workspace. */
  activity(range: ActivityRange = '24h'): Promise<Activity> {
    return this.#connection.json('/activity', { query: { range } })
  }

  /** The jobs behind a count of `activity`, with their share of the count. */
  activityOfJobs(query: ActivityOfJobsFilter = {}): Promise<ActivityOfJobs> {
    return this.#connection.json('/activity/jobs', { query: { ...query } })
  }

  /** Scrapers that a job can name. */
  scrapers(): Promise<ScrapersShown> {
    return this.#connection.json('/scrapers')
  }

  /** Named sessions, without their values. Needs the scope `admin`. */
  async sessions(): Promise<SessionShown[]> {
    return (await this.#connection.json<{ sessions: SessionShown[] }>('/sessions')).sessions
  }

  /** Needs the scope `admin`. */
  async deleteSession(name: string): Promise<void> {
    await this.#connection.send(pathTo`/sessions/${name}`, { method: 'DELETE' })
  }

  /** The workspace, scopes and limits of the key. */
  me(): Promise<Account> {
    return this.#connection.json('/me')
  }

  /** Needs no key. */
  health(): Promise<HealthReport> {
    return this.#connection.json('/health')
  }

  /** The metrics of the service in Prometheus text format. Needs a key, unless `SCRAPER_OPEN_METRICS` is on. */
  async metrics(): Promise<string> {
    return (await this.#connection.send('/metrics', { headers: { accept: 'text/plain' } })).text()
  }

  /** Needs the scope `admin`. */
  workers(): Promise<WorkersShown> {
    return this.#connection.json('/workers')
  }

  /** Deletes expired data, or counts it with a dry run. Needs the scope `admin`. */
  async deleteExpired({ dryRun = false, compact = false } = {}): Promise<FreedByKind> {
    return (await this.#connection.json<{ freed: FreedByKind }>('/gc', { body: { dryRun, compact } })).freed
  }

  /** The current value of every setting. Needs the scope `admin`. */
  async settings(): Promise<SettingShown[]> {
    return (await this.#connection.json<{ settings: SettingShown[] }>('/settings')).settings
  }
}

export type * from './client/browsers.ts'
export { ApiError } from './client/connection.ts'
export type { Diagnostics } from './client/diagnostics.ts'
export type { Download } from './client/download.ts'
export type { HostShown, Hosts } from './client/hosts.ts'
export type * from './client/job-types.ts'
export { hasEnded, type Jobs, type WaitOptions } from './client/jobs.ts'
export type { KeyShown, Keys } from './client/keys.ts'
export type { ListingShown, Listings } from './client/listings.ts'
export type * from './client/monitors.ts'
export type { NewPreview, Preview, PreviewLook, Previews, TriedRecord } from './client/previews.ts'
export type { Proxies, ProxyShown } from './client/proxies.ts'
export type * from './client/schedules.ts'
export type { FoundRecord, SearchQuery } from './client/search.ts'
export type { NewUpload, UploadPlace, UploadShown, Uploads } from './client/uploads.ts'
export type { WebhookInFull, WebhookShown, Webhooks } from './client/webhooks.ts'
export type { NewKeyInput } from './model/access.ts'
export type {
  BrowserShown,
  ErasedCounts,
  ErasureReceipt,
  HealthReport as ServiceHealth,
  ScrapersShown,
  SessionShown,
  SettingShown,
  WorkerShown,
  WorkersShown,
} from './model/api/operations.ts'
export type { HostPlan, JobPlan } from './model/api/plan.ts'
export type {
  Account,
  Activity,
  ActivityOfJobs,
  ActivityOfJobsFilter,
  ActivityRange,
} from './model/api/service.ts'
export type { Diagnosis, ProfileRequest } from './model/diagnosis.ts'
export type { FieldChange, IgnoreRules, Noise, PageChange, PageStatus } from './model/monitor.ts'
export type { PickAnswer, PickRequest, ProposedField, ProposedList } from './model/picking.ts'
export type { FreedByKind, JobRetention } from './model/policy/retention.ts'
