// A job that this coordinator runs: its compiled rules and its counts. State changes only through the methods. If another file
// writes a field, the comment of the field names that file.
import type { ToldResults } from '../../deliver/webhook-body.ts'
import type { JobHostPolicy, KnownHostPolicy } from '../../dispatch/host-table.ts'
import { JobBreaker, jobVerdict } from '../../dispatch/job-breaker.ts'
import { JobBudget } from '../../dispatch/job-budget.ts'
import { WasteGuard } from '../../dispatch/waste-guard.ts'
import { spentIn } from '../../extract/llm/token-budget.ts'
import { type CanonicalOptions, givenUrl } from '../../frontier/canonical-url.ts'
import { compileScope, type Scope } from '../../frontier/scope.ts'
import type { FailureCode, FailureJson } from '../../model/failures.ts'
import { type IngestProgress, type Job, type JobCounts, type JobState, sitemapUse } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Limits, TaskOverrides } from '../../model/policy/policy.ts'
import { alwaysWhy, renderModeOf } from '../../model/policy/render-mode.ts'
import type { RenderMode } from '../../model/policy/rendering.ts'
import { wasteReason } from '../../model/remedies.ts'
import type { Reason, TaskState } from '../../model/task.ts'
import { originOf } from './hosts/robots-gate.ts'
import { type RobotsReader, robotsReader } from './hosts/robots-reader.ts'
import type { IdentitiesByPolicy } from './identities-by-policy.ts'

/** Reason of a job that is being cancelled, in memory and in the store. */
export const cancelledReason = 'cancelled'

/** Tasks that one unit of concurrency finishes in a minute, if a task takes a second. */
const tasksPerSlot = 60

/** Rules that apply to every job of this process. */
interface RunRules {
  obeyRobots: boolean
  /** The user agent of jobs that set none. */
  usualAgent?: string | undefined
  maxPagesPerJob?: number | undefined
}

/** Values that the coordinator sets when it adopts a job. */
interface Adoption {
  /** When this process adopted the job. */
  at?: number
  /** How many tasks of the job are in flight now. */
  inFlight?: () => number
  /** Whether this coordinator ingests the source; in a cluster only the home shard does. */
  readsSource?: boolean
  /** How many tasks are traced, counted from the first task. */
  tracedTasks?: number
  identities?: (job: RunningJob) => IdentitiesByPolicy
}

/** The values of one settled attempt that count for its job. */
interface CountedOutcome {
  state: TaskState
  reason: Reason
  /** Whether the attempt fetched a page that counts towards the limits. */
  isPage: boolean
  bytes: number
  browserMs: number
}

/** A job that is ending: its manifests are being written, and the pages for its webhook are being read. */
export interface Ending {
  outcome: 'under way' | 'done' | Error
  state: JobState
  results?: ToldResults
  /** Resolves when the last files are written or have failed. */
  written: Promise<void>
}

export class RunningJob {
  readonly job: Job
  readonly lane: LaneJob
  readonly scope: Scope
  readonly canonical: CanonicalOptions
  readonly breaker: JobBreaker
  readonly budget: JobBudget
  readonly waste: WasteGuard
  /** The identity under which the job requests robots.txt. */
  readonly reader: RobotsReader
  /** Whether the job obeys robots.txt. Undefined: the policy of each host decides. */
  readonly robots: 'obey' | 'ignore' | undefined
  readonly dedupes: boolean
  readonly render: RenderMode
  /** Why every page is rendered; null if some pages are fetched without a browser. */
  readonly renderWhy: string | null
  /** Why no browser is available; null if a browser is available. */
  readonly noBrowser: FailureJson | null
  /** The lower one of the job's page limit and the operator's. Infinite if there is no limit. */
  readonly maxPages: number
  /** The identities of the job's tasks. Null in the ingest role, which runs no tasks. */
  readonly identities: IdentitiesByPolicy | null
  /** How many tasks of the job are traced, counted from the first task. */
  readonly tracedTasks: number
  /** When this process adopted the job. Responses of hosts before this time do not count as responses in this run. */
  readonly adoptedAt: number
  readonly storage = new StorageTrouble()

  /** A cache: the overrides that each host policy causes for tasks. Written by `task-overrides.ts`. */
  readonly hostOverrides = new WeakMap<KnownHostPolicy, TaskOverrides>()
  /** By host: a promise that resolves when the last task in the host's queue has its slot. Tasks wait for their slots
   *  one after another. Written by `host-slots.ts`. */
  readonly lines = new Map<string, Promise<void>>()
  /** Hosts that do not respond. Written by `silent-hosts.ts`. */
  readonly outage = {
    /** Hosts whose last tasks got no response. */
    silentHosts: new Set<string>(),
    /** When to look next for hosts that failed in other jobs. */
    nextLookAt: 0,
    /** True if none of the job's hosts responds. Then the cause is probably our own network. */
    networkIsDown: false,
  }
  /** Progress of ending the job. Written by `finish-job.ts`. */
  readonly finish: {
    startedAt: number | null
    ending: Ending | null
    /** If the job could not be ended, the time of the next attempt. */
    notBefore: number
    /** The message of the last failed attempt. */
    trouble: string | null
  } = { startedAt: null, ending: null, notBefore: 0, trouble: null }

  readonly #countInFlight: () => number
  #open: number
  #pages: number
  #pageShare: number | null = null
  #ingesting: boolean
  #brokenSource: string | null = null
  #lastAddedAt: number | null = null
  /** Origins of the seeds whose sitemaps are not yet known. */
  readonly #unmapped: Set<string>
  /** Spent model tokens that are already saved in the store. */
  #savedTokens: number
  #mayHaveOrphans = false
  #cancelled: boolean
  readonly #cancelling = new AbortController()
  #waitsEnd: AbortSignal | null = null

  constructor(job: Job, lane: LaneJob, counts: JobCounts, rules: RunRules, adoption: Adoption = {}) {
    this.job = job
    this.lane = lane
    this.adoptedAt = adoption.at ?? job.startedAt ?? 0
    this.scope = compileScope(job.spec)
    this.canonical = { query: job.spec.query }
    this.breaker = new JobBreaker(
      job.spec.policy.breaker,
      job.reason === 'breaker' ? (job.resumeAt ?? undefined) : undefined,
    )
    this.budget = new JobBudget(job.spec.policy, counts)
    this.waste = new WasteGuard(job.spec.policy.blocks?.wasteGuard)
    this.reader = robotsReader(lane, rules.usualAgent ?? lane.userAgent)
    this.robots = job.spec.policy.robots ?? (rules.obeyRobots ? undefined : 'ignore')
    this.maxPages = Math.min(
      job.spec.maxPages ?? Number.POSITIVE_INFINITY,
      rules.maxPagesPerJob ?? Number.POSITIVE_INFINITY,
    )
    this.#unmapped = looksForSitemaps(job) ? seedOrigins(job.spec.seedUrls ?? []) : new Set()
    this.dedupes = job.spec.dedupe ?? job.kind === 'crawl'
    this.render = renderModeOf(job.spec)
    this.renderWhy = alwaysWhy(job.spec)
    this.noBrowser = lane.noBrowser ?? null
    this.tracedTasks = adoption.tracedTasks ?? 0
    this.#countInFlight = adoption.inFlight ?? (() => 0)
    this.#pages = counts.pages
    this.#savedTokens = counts.llmTokens
    this.#open = openOf(counts)
    this.#cancelled = job.state === 'finishing' && job.reason === cancelledReason
    this.#ingesting = !job.ingest.done && !this.#cancelled && adoption.readsSource !== false
    this.identities = adoption.identities?.(this) ?? null
  }

  get id(): string {
    return this.job.id
  }

  /** Tasks that are not in a final state. */
  get open(): number {
    return this.#open
  }

  /** Tasks in a lane or waiting for robots.txt. */
  get inFlight(): number {
    return this.#countInFlight()
  }

  /** Pages that succeeded. `maxPages` limits them. */
  get pages(): number {
    return this.#pages
  }

  /** If several shards share `maxPages`: how many more pages this shard may fetch, including pages in flight. Else null. */
  get pageShare(): number | null {
    return this.#pageShare
  }

  get ingesting(): boolean {
    return this.#ingesting
  }

  /** Why the rest of the source could not be read; null if there is no error. The rows before the error are processed. */
  get brokenSource(): string | null {
    return this.#brokenSource
  }

  /** When tasks were last added; null if none was added. */
  get lastAddedAt(): number | null {
    return this.#lastAddedAt
  }

  /** Whether a worker may have stored pages without reporting them: it died, it lost its lease, or the storage failed. */
  get mayHaveOrphans(): boolean {
    return this.#mayHaveOrphans
  }

  /** Whether the job was cancelled. Then its requests are aborted, and no task starts. */
  get cancelled(): boolean {
    return this.#cancelled
  }

  /** Whether the job is one page that a caller probably waits for. */
  get isAwaited(): boolean {
    const { urls, items } = this.job.spec
    return (urls ?? items)?.length === 1
  }

  /** When the caller of the job stops waiting; null if no caller waits. */
  get answerBy(): number | null {
    const { answerWithinMs } = this.job.spec.policy
    return answerWithinMs > 0 ? this.job.createdAt + answerWithinMs : null
  }

  /** Whether the job still looks for the sitemaps of this site. */
  needsSitemaps(url: string): boolean {
    return this.#unmapped.size > 0 && this.#unmapped.has(originOf(url))
  }

  /** True for the first call with an origin of the seeds. A job that is being cancelled gets no more tasks. */
  takeSitemaps(origin: string): boolean {
    return !this.#cancelled && this.#unmapped.delete(origin)
  }

  /** Saves the spent model tokens. Tokens that running requests have reserved count as spent, so that a crash does not refund
   *  them. */
  async saveTokens(spend: (tokens: number) => Promise<unknown>): Promise<void> {
    const spent = this.lane.llmLedger ? spentIn(this.lane.llmLedger) : this.#savedTokens
    if (spent === this.#savedTokens) return
    await spend(spent - this.#savedTokens)
    this.#savedTokens = spent
  }

  tasksAdded(count: number, now: number): void {
    this.#open += count
    this.#lastAddedAt = now
  }

  /** Counts tasks that reached a final state without an attempt, or in another shard. */
  tasksEnded(count: number): void {
    this.#open -= count
  }

  /** Counts an attempt whose outcome the store has committed. */
  settled({ state, reason, isPage, bytes, browserMs }: CountedOutcome, now: number): void {
    this.budget.spend({ pages: Number(isPage), bytes, browserMs })
    this.storage.note(reason)
    if (state === 'pending') return
    this.#open--
    if (isPage) {
      this.#pages++
      this.usePageShare()
    }
    this.waste.record(reason)
    const verdict = jobVerdict(reason)
    if (verdict !== null) this.breaker.record(verdict, now)
  }

  /** Replaces the counts in memory with the exact counts of the store. */
  recount(counts: JobCounts): void {
    this.#open = openOf(counts)
    this.#pages = counts.pages
    this.budget.recount(counts)
  }

  setPageShare(pages: number): void {
    this.#pageShare = pages
  }

  usePageShare(): void {
    if (this.#pageShare !== null) this.#pageShare--
  }

  sourceAdvanced(progress: IngestProgress): void {
    this.job.ingest = progress
  }

  /** Call this when the whole source was read. */
  sourceEnded(progress: IngestProgress = this.job.ingest): void {
    this.job.ingest = progress
    this.#ingesting = false
  }

  sourceFailed(message: string): void {
    this.#brokenSource ??= message
    this.#ingesting = false
  }

  suspectOrphans(): void {
    this.#mayHaveOrphans = true
  }

  /** Takes the state of the job from the store. The spec in memory stays, because a resume may have changed it for this run. */
  refresh(stored: Job): void {
    Object.assign(this.job, stored, { spec: this.job.spec })
  }

  /** Call this when the job is resumed. The caller may have raised the limits. The waste guard starts to count again. */
  resumed(limits: Limits | undefined): void {
    if (limits) this.budget.limits = limits
    this.waste.reset()
  }

  cancel(): void {
    this.#cancelled = true
  }

  /** Aborts the waits for slots, because the job was cancelled. */
  endWaits(): void {
    this.#cancelling.abort()
  }

  /** The signal that aborts waits of this job: when the job is cancelled or the process stops. */
  waitsEnd(stopping: AbortSignal): AbortSignal {
    this.#waitsEnd ??= AbortSignal.any([stopping, this.#cancelling.signal])
    return this.#waitsEnd
  }

  /** How many more tasks may start now under the limits of the job. The page limit counts each task in flight as a page. */
  allowance(concurrency: number, now: number): number {
    if (this.#cancelled) return 0
    return Math.min(concurrency - this.inFlight, this.#allowed(now))
  }

  /** How many more tasks could start until `until` (about a minute) with enough workers. */
  allowanceUntil(until: number): number {
    if (this.#cancelled) return 0
    const slots = this.job.spec.concurrency ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(slots * tasksPerSlot, this.#allowed(until)))
  }

  #allowed(now: number): number {
    const { inFlight } = this
    const pages = (this.#pageShare ?? this.maxPages - this.#pages) - inFlight
    const started = Math.min(pages, this.breaker.allowance(inFlight, now))
    return Math.min(started, this.budget.allowance(inFlight), this.waste.allowance(inFlight))
  }

  /** Why the job must stop until its owner resumes it or raises a limit; null while it may run. */
  get stopReason(): string | null {
    return this.budget.reached ?? (this.waste.isTripped ? wasteReason : null)
  }

  get budgetReached(): boolean {
    return this.#pages >= this.maxPages
  }

  /** Whether the job has an unlimited rate and no concurrency limit per host. */
  get isUnbound(): boolean {
    const { host } = this.job.spec.policy
    return host.rate === 'unlimited' && host.concurrency === undefined
  }

  /** The host policy of the job. Its rate replaces the default rate; crawl delays and pauses of the host still apply. */
  hostPolicy(concurrency: number): JobHostPolicy {
    const { host } = this.job.spec.policy
    const { robots } = this
    if (!this.isUnbound) return { ...host, robots }
    // The lanes already limit the requests in flight. The host table only has to supply enough tasks.
    return { ...host, robots, concurrency }
  }
}

/** How long a job pauses if storage refuses a write although there is space, for example because of a quota or a failing bucket.
 *  The first pause is the shortest. */
const firstRestMs = 1_000
const longestRestMs = 30_000

/** Remembers that storage refused a write of the job. The next sweep then pauses the job for a while. */
class StorageTrouble {
  #code: FailureCode | null = null
  #rest = { ms: 0, until: Number.NEGATIVE_INFINITY }

  get code(): FailureCode | null {
    return this.#code
  }

  /** Remembers a storage failure. Ignores all other reasons. */
  note(reason: Reason): void {
    if (reason === 'storage.full' || reason === 'storage.failed') this.#code = reason
  }

  take(): FailureCode | null {
    const code = this.#code
    this.#code = null
    return code
  }

  /** The length of the next pause. It doubles each time. After `longestRestMs` without a pause, it starts again at `firstRestMs`. */
  nextRestMs(now: number): number {
    const isNew = now - this.#rest.until > longestRestMs
    const ms = isNew ? firstRestMs : Math.min(this.#rest.ms * 2, longestRestMs)
    this.#rest = { ms, until: now + ms }
    return ms
  }
}

const looksForSitemaps = ({ kind, spec }: Job): boolean =>
  kind !== 'list' && sitemapUse(spec) !== 'skip' && spec.sitemapUrl === undefined

const seedOrigins = (seeds: readonly string[]): Set<string> =>
  new Set(seeds.map(seed => originOf(givenUrl(seed) ?? seed)))

export const openOf = ({ byState }: JobCounts): number =>
  byState.pending + byState.queued + byState.in_progress
