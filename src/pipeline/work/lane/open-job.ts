// A job that is open in a lane. Its scope, rules and HTTP client are prepared once and used for every task.

import { warnIfEmpty } from '../../../extract/rules/index.ts'
import { usualBrowserVersion } from '../../../fetch/browser/identity/browser-version.ts'
import type { InFlight } from '../../../fetch/http/in-flight.ts'
import {
  CookieJar,
  type CookieJson,
  type EgressGate,
  openHttpFetch,
  withChanges,
} from '../../../fetch/http/index.ts'
import { noProxies, type OperatorProxies } from '../../../fetch/proxies/job-proxies.ts'
import { LinkAdmitter } from '../../../frontier/admit.ts'
import type { CanonicalOptions } from '../../../frontier/canonical-url.ts'
import { compileScope, type Scope } from '../../../frontier/scope.ts'
import type { ExtractionRules } from '../../../model/extraction-rules.ts'
import { asFailure } from '../../../model/failures.ts'
import { asksModel } from '../../../model/job.ts'
import type { LaneJob, TimedTask } from '../../../model/lane.ts'
import type { FetchRequest, Page } from '../../../model/page/page.ts'
import { type TaskOverrides, type Timeouts, timeouts } from '../../../model/policy/policy.ts'
import type { TaskIdentity } from '../../../model/policy/proxy.ts'
import { renderModeOf, taskRenderMode } from '../../../model/policy/render-mode.ts'
import type { RenderMode } from '../../../model/policy/rendering.ts'
import type { LeasedTask } from '../../../model/task.ts'
import type { Fetch, FetchLayer } from '../../../ports/fetch.ts'
import type { Credential, Credentials } from '../../../ports/secrets.ts'
import { segmentName } from '../../../results/keys.ts'
import { SegmentWriter } from '../../../results/segment-writer.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { keptPromise } from '../check-records.ts'
import { isCostlyPage } from '../page-cost.ts'
import { PageRecords } from '../page-records.ts'
import type { PageReader } from '../reading.ts'
import { makerName } from '../record-maker.ts'
import { fillParts, type ModelParts } from './fill-parts.ts'
import { browserHeaders, IdentitiesByLook, LaneIdentities } from './identities.ts'
import { hasCredentials, isAnother, JobBrowser, type LaneBrowser, type SavedSessions } from './job-browser.ts'
import { type JobHeaders, jobHeaders } from './job-headers.ts'
import { LaneProxies } from './proxies.ts'

export interface HttpSettings {
  gate: EgressGate
  caFile: string | null
  /** The operator's proxies. If unset, a job can only use its own proxies. */
  proxies?: OperatorProxies | undefined
  /** Wraps every request of a job, to make a recording or to replay one. */
  layer?: FetchLayer | undefined
}

export interface OpenJobParts extends ModelParts {
  http: HttpSettings
  /** The limit of requests in flight that all jobs of a lane share. */
  inFlight?: InFlight
  scraper: (id: string) => Scraper
  /** Name of the lane. It must be unique among all processes that write segments. */
  name: string
  /** Set only in lanes that load pages in a browser. */
  browser?: LaneBrowser | undefined
  /** Where the cookies of a named session are stored. */
  sessions?: SavedSessions | undefined
  /** The version of the local browser, for requests that imitate it. */
  browserVersion?: (() => Promise<string>) | undefined
  /** Parses costly pages in another process, if set. */
  reader?: PageReader | undefined
  /** Credentials for scrapers that log in. Unset if only stored pages are parsed. */
  credentials?: Credentials | undefined
}

export class OpenJob implements AsyncDisposable {
  /** Only the limits of the job may change while it is open. */
  job: LaneJob
  /** Aborted when the job is cancelled or the lane stops. */
  readonly signal: AbortSignal
  readonly scope: Scope
  readonly admitter: LinkAdmitter
  readonly canonical: CanonicalOptions
  readonly scraper: Scraper
  readonly scraperName: string
  /** Where raw pages are written; null if they are not stored. */
  readonly segments: SegmentWriter | null
  /** Whether each task stores its raw page in its own folder instead of in segments. */
  readonly keepsItems: boolean
  readonly dedupes: boolean
  readonly #render: RenderMode
  readonly browser: JobBrowser | null
  /** Tasks that wait until one of the job's running tasks in this lane ends. */
  readonly backlog: TimedTask[] = []
  running = 0
  readonly fetch: Fetch
  readonly #identities: IdentitiesByLook
  /** The cookies that every run of the job starts with. */
  readonly #cookies: CookieJson[]
  readonly #jar: CookieJar
  readonly #sessions: SavedSessions | null
  readonly #credentials: Credentials | null
  readonly #reader: PageReader | null
  readonly records: PageRecords
  readonly #http: ReturnType<typeof openHttpFetch>
  readonly #timeouts: Timeouts
  readonly #headers: JobHeaders

  constructor(job: LaneJob, parts: OpenJobParts) {
    const { spec } = job
    this.job = job
    this.signal = parts.signal ?? new AbortController().signal
    this.scraper = parts.scraper(spec.scraperId)
    this.scraperName = makerName(spec, this.scraper)
    this.canonical = { query: spec.query }
    this.scope = compileScope(spec)
    this.admitter = new LinkAdmitter({
      scope: this.scope,
      canonical: this.canonical,
      nofollow: spec.nofollow,
    })
    this.records = new PageRecords({
      rules: spec.extract ?? this.scraper.rules,
      model: asksModel(spec) ? rules => fillParts(job, parts, this.scraper, rules) : null,
      // Rules of the job are not checked against the scraper's output schema.
      check: spec.extract
        ? (records, _, { finalUrl }) =>
            records instanceof Promise
              ? records.then(made => warnIfEmpty(finalUrl, made))
              : warnIfEmpty(finalUrl, records)
        : (records, source, page) => keptPromise(this.scraper, records, source, page),
    })
    this.keepsItems = spec.results.layout === 'items'
    const keepsSegments = spec.results.raw !== 'none' && !this.keepsItems
    this.segments = keepsSegments ? new SegmentWriter(parts.blobs, segmentName(job.id, parts.name)) : null
    this.dedupes = spec.dedupe ?? job.kind === 'crawl'
    this.#render = renderModeOf(spec)
    this.#timeouts = timeoutsOf(job, spec.policy.timeouts)
    this.#headers = jobHeaders(job)
    const given = cookiesIn(job.cookies)
    this.browser = parts.browser
      ? new JobBrowser(parts.browser, job, given, hasCredentials(job, this.scraper))
      : null
    this.#cookies = [...cookiesIn(job.sessionCookies), ...given]
    this.#jar = CookieJar.from(this.#cookies)
    this.#sessions = parts.sessions ?? null
    this.#credentials = parts.credentials ?? null
    this.#reader = parts.reader ?? null
    const proxies = new LaneProxies(parts.http.proxies ?? noProxies, spec.policy.proxy)
    this.#http = openHttpFetch({
      gate: parts.http.gate,
      inFlight: parts.inFlight,
      ...(proxies.dialling && { proxies: proxies.dialling }),
      userAgent: job.userAgent,
      cookies: this.#jar,
      defaultHeaders: this.#headers.everywhere,
      ...(parts.http.caFile ? { caFile: parts.http.caFile } : {}),
    })
    const layer = parts.http.layer ?? (fetch => fetch)
    const headersFor = browserHeaders(job, parts.browserVersion ?? (async () => usualBrowserVersion))
    const plain = layer(this.#http.fetch)
    this.#identities = new IdentitiesByLook(
      ({ headers, tls }) =>
        new LaneIdentities({
          ...{ http: this.#http, plain, layer, cookies: this.#cookies },
          endpointsOf: via => proxies.endpointsOf(via),
          own: { id: spec.session ?? job.id, jar: this.#jar },
          browserTls: tls === 'browser',
          headersFor: headers === 'browser' ? headersFor : undefined,
        }),
      spec.policy.identity,
    )
    this.fetch = this.identitiesFor({}).ofJob
  }

  /** Whether to check if a browser would add content to the page of a task. */
  looks({ overrides }: Pick<LeasedTask, 'overrides'>): boolean {
    return taskRenderMode(this.#render, overrides) === 'auto'
  }

  identitiesFor({ overrides }: Pick<TimedTask, 'overrides'>): LaneIdentities {
    return this.#identities.of(overrides?.identity)
  }

  /** A fetch with new cookies, so that a site cannot confuse two runs of a scraper. */
  newSession(task: Pick<TimedTask, 'identity' | 'overrides'>): Fetch {
    return this.identitiesFor(task).newSession(task.identity)
  }

  fetchAs(
    identity: TaskIdentity | null | undefined,
    url: string,
    overrides?: TaskOverrides | undefined,
  ): Fetch {
    const identities = this.#identities.of(overrides?.identity)
    return identity ? identities.fetchAs(identity, URL.parse(url)?.hostname ?? null) : identities.ofJob
  }

  /** The credentials of the job's workspace for a provider. Empty if only stored pages are parsed. */
  async credentialsFor(provider: string, signal: AbortSignal): Promise<Credential> {
    const { workspace } = this.job
    return (await this.#credentials?.get(workspace, provider, signal)) ?? {}
  }

  /** The fetch of a task. Some retries get a new session; see `isAnother`. */
  fetchFor(task: TimedTask): Fetch {
    return isAnother(this.job, task)
      ? this.newSession(task)
      : this.fetchAs(task.identity, task.url, task.overrides)
  }

  /** A request of a task. Headers that may be secret go only to sites that the caller named. */
  request(
    url: string,
    beforeHop: NonNullable<FetchRequest['beforeHop']>,
    { url: home, overrides }: Pick<TimedTask, 'url' | 'overrides'>,
  ): FetchRequest {
    const { maxBytes } = overrides ?? this.job.spec.policy
    const timeouts = overrides ? timeoutsOf(this.job, overrides.timeouts) : this.#timeouts
    const request = { url, timeouts, maxBytes, beforeHop }
    const headers = this.#headers.extraFor(url, home)
    return headers ? { ...request, headers } : request
  }

  /** A request for the robots.txt of an origin, without the headers and cookies of the job. */
  robotsRequest(origin: string, beforeHop: NonNullable<FetchRequest['beforeHop']>): FetchRequest {
    const { maxBytes } = this.job.spec.policy
    return { url: `${origin}/robots.txt`, purpose: 'robots', timeouts: this.#timeouts, maxBytes, beforeHop }
  }

  /** The job's headers for a browser page at this URL. */
  headersFor(url: string, { url: home }: Pick<TimedTask, 'url'>): Record<string, string> {
    return { ...this.#headers.everywhere, ...this.#headers.extraFor(url, home) }
  }

  /** The other process that parses this page; null if the lane parses it on its own thread. */
  readerFor({ body }: Page): PageReader | null {
    return this.#reader && isCostlyPage(body) ? this.#reader : null
  }

  /** Throws `page.too-costly` if parsing the page would exhaust the memory of this lane. Call it before code in the lane parses a
   *  large page. */
  async probe(page: Page): Promise<void> {
    await this.readerFor(page)?.probe(page)
  }

  /** Whether the links of this page become tasks. */
  follows(task: LeasedTask): boolean {
    return this.job.kind !== 'list' && this.job.spec.sitemap !== 'only' && task.kind === 'page'
  }

  /** Whether pages give records. A map job only collects URLs. */
  get wantsRecords(): boolean {
    return this.job.kind !== 'map'
  }

  /** The rules of the job itself, if its pages give records. */
  get ownRules(): ExtractionRules | undefined {
    return this.wantsRecords ? this.job.spec.extract : undefined
  }

  /** Saves the cookies of HTTP requests in the job's session. A lane with a browser does nothing here, because the
   *  browser saves the cookies. */
  async #keepSession(): Promise<void> {
    const { session } = this.job.spec
    if (session === undefined || this.browser || !this.#sessions) return
    const after = this.#jar.toJSON()
    try {
      await this.#sessions.change(session, state => withChanges(state, this.#cookies, after))
    } catch (error) {
      // Only warn: the pages of the job are stored, so the job does not fail.
      process.emitWarning(`the session "${session}" could not be stored: ${asFailure(error).message}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keepSession()
    await this.browser?.close()
    await this.records[Symbol.asyncDispose]()
    await this.#http[Symbol.asyncDispose]()
  }
}

const cookiesIn = (json: string | null | undefined): CookieJson[] =>
  json ? (JSON.parse(json) as CookieJson[]) : []

const usualTimeouts = timeouts.parse({})

/** The timeouts of a request. The job's `timeout_ms` limits the whole request. A phase (connect, headers, idle) has a shorter
 *  timeout only if the policy sets one. */
function timeoutsOf({ spec: { timeoutMs } }: Pick<LaneJob, 'spec'>, own: Timeouts): Timeouts {
  if (!timeoutMs) return own
  const phase = (name: 'connectMs' | 'headersMs' | 'idleMs') =>
    own[name] === usualTimeouts[name] ? timeoutMs : Math.min(own[name], timeoutMs)
  return {
    connectMs: phase('connectMs'),
    headersMs: phase('headersMs'),
    idleMs: phase('idleMs'),
    totalMs: timeoutMs,
  }
}
