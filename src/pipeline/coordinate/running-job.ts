// A job in the coordinator's hands: its rules made ready, and how far it is, counted as it goes.
import type { ToldResults } from '../../deliver/webhook-body.ts'
import type { JobHostPolicy, KnownHostPolicy } from '../../dispatch/host-table.ts'
import { JobBreaker } from '../../dispatch/job-breaker.ts'
import { JobBudget } from '../../dispatch/job-budget.ts'
import { WasteGuard } from '../../dispatch/waste-guard.ts'
import { type CanonicalOptions, givenUrl } from '../../frontier/canonical-url.ts'
import { compileScope, type Scope } from '../../frontier/scope.ts'
import type { FailureCode, FailureJson } from '../../model/failures.ts'
import type { Job, JobCounts, JobState } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { TaskOverrides } from '../../model/policy/policy.ts'
import { alwaysWhy, renderModeOf } from '../../model/policy/render-mode.ts'
import type { RenderMode } from '../../model/policy/rendering.ts'
import { wasteReason } from '../../model/ways-out.ts'
import type { IdentitiesByPolicy } from './identities-by-policy.ts'
import { originOf } from './robots-gate.ts'
import { type RobotsReader, robotsReader } from './robots-reader.ts'

/** What a job that is being cancelled says while its last tasks run: also to the process that comes after a kill. */
export const cancelledReason = 'cancelled'

/** In a minute, if a task takes a second. */
const tasksPerSlot = 60

/** What holds for every job of this process. */
export interface RunRules {
  obeyRobots: boolean
  /** What jobs say they are that say nothing of it themselves. */
  usualAgent?: string | undefined
  maxPagesPerJob?: number | undefined
}

export class RunningJob {
  readonly job: Job
  readonly lane: LaneJob
  readonly scope: Scope
  readonly canonical: CanonicalOptions
  readonly breaker: JobBreaker
  readonly budget: JobBudget
  readonly waste: WasteGuard
  /** How its tasks are done at hosts that say something about it. */
  readonly hostOverrides = new WeakMap<KnownHostPolicy, TaskOverrides>()
  /** As whom it asks for robots.txt. */
  readonly reader: RobotsReader
  /** What the job says about robots.txt; undefined leaves it to the host's policy. */
  readonly robots: 'obey' | 'ignore' | undefined
  readonly dedupes: boolean
  readonly render: RenderMode
  /** Why every page goes through the browser; null where that is not so. */
  readonly renderWhy: string | null
  /** Why pages can't go through a browser here; null where they can. */
  readonly noBrowser: FailureJson | null
  /** The job's own limit or the operator's, whichever is lower; infinite without. */
  readonly maxPages: number
  /** Pages that succeeded; the budget is counted on these. */
  pages: number
  /** Where several coordinators share the budget: the pages that may yet come from here, those in flight included. */
  share: number | null = null
  /** Tokens spent on a language model that the store knows of. */
  llmCounted: number
  /** Tasks that are not in a terminal state. */
  open: number
  /** Tasks handed to lanes or waiting for robots.txt. */
  inFlight = 0
  ingesting: boolean
  /** Since when its end is prepared. */
  finishingAt: number | null = null
  /** Its manifests are being written, and the pages for its webhook read. */
  ending: {
    outcome: 'under way' | 'done' | Error
    state: JobState
    told?: ToldResults
    /** Resolves when the last files are written or have failed. */
    written: Promise<void>
  } | null = null
  /** When storage refused its manifests: the time of the next try, and what was said last. */
  finishNotBefore = 0
  finishTrouble: string | null = null
  /** When tasks came last, of a job that a queue feeds. */
  fedAt: number | null = null
  /** Why the rest of its source could not be read; what was read before is run. */
  brokenSource: string | null = null
  /** Set when the disk refused what a task brought; looked at by the next sweep. */
  storageTrouble: FailureCode | null = null
  /** How long it rested for that the last time, and until when. */
  storageRest = { restMs: 0, until: Number.NEGATIVE_INFINITY }
  /** Whether somebody may have kept pages that were never written down: a process died or was given up, or the bucket was in trouble. */
  mayHaveOrphans = false
  /** As whom its tasks are done, where there is a choice; set when it is taken in hand. */
  identities: IdentitiesByPolicy | null = null
  /** How many of its tasks are traced, from the first on; set when it is taken in hand. */
  tracedTasks = 0
  /** By host: who of its tasks waits there for a turn, each behind the one before. */
  readonly lines = new Map<string, Promise<void>>()
  /** Hosts whose last tasks got no answer; the sweep decides how long to wait for them. */
  readonly silentHosts = new Set<string>()
  /** When to look next for hosts that failed in other jobs. */
  nextLookAtHosts = 0
  /** None of its hosts answers, so our own network is the likelier cause. */
  networkIsDown = false
  /** When this process took the job over: what hosts did before says nothing about this run. */
  readonly takenAt: number
  /** Asked to end: what runs is aborted, nothing more is started. */
  cancelled: boolean
  readonly #cancelling = new AbortController()
  #waitsEnd: AbortSignal | null = null
  /** Origins of the seeds whose sitemaps are still to be looked for. */
  readonly unmapped: Set<string>

  constructor(job: Job, lane: LaneJob, counts: JobCounts, rules: RunRules, takenAt = job.startedAt ?? 0) {
    this.job = job
    this.lane = lane
    this.takenAt = takenAt
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
    this.unmapped = looksForSitemaps(job) ? seedOrigins(job.spec.seedUrls ?? []) : new Set()
    this.dedupes = job.spec.dedupe ?? job.kind === 'crawl'
    this.render = renderModeOf(job.spec)
    this.renderWhy = alwaysWhy(job.spec)
    this.noBrowser = lane.noBrowser ?? null
    this.pages = counts.pages
    this.llmCounted = counts.llmTokens
    this.open = openOf(counts)
    this.cancelled = job.state === 'finishing' && job.reason === cancelledReason
    this.ingesting = !job.ingest.done && !this.cancelled
  }

  /** One page that somebody probably waits for. */
  get isAwaited(): boolean {
    const { urls, items } = this.job.spec
    return (urls ?? items)?.length === 1
  }

  /** When its caller stops waiting; null where nobody waits. */
  get answerBy(): number | null {
    const { answerWithinMs } = this.job.spec.policy
    return answerWithinMs > 0 ? this.job.createdAt + answerWithinMs : null
  }

  endWaits(): void {
    this.#cancelling.abort()
  }

  /** Ends waits for this job: it was cancelled, or the process stops. */
  waitsEnd(stopping: AbortSignal): AbortSignal {
    this.#waitsEnd ??= AbortSignal.any([stopping, this.#cancelling.signal])
    return this.#waitsEnd
  }

  get id(): string {
    return this.job.id
  }

  /** How many more may be started now: the budget counts what succeeded and what may yet. */
  allowance(concurrency: number, now: number): number {
    if (this.cancelled) return 0
    return Math.min(concurrency - this.inFlight, this.#allowed(now))
  }

  /** How many more it may start in the minute before `until`, however many workers there are. */
  allowanceUntil(until: number): number {
    if (this.cancelled) return 0
    const slots = this.job.spec.concurrency ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(slots * tasksPerSlot, this.#allowed(until)))
  }

  #allowed(now: number): number {
    const pages = (this.share ?? this.maxPages - this.pages) - this.inFlight
    const started = Math.min(pages, this.breaker.allowance(this.inFlight, now))
    return Math.min(started, this.budget.allowance(this.inFlight), this.waste.allowance(this.inFlight))
  }

  /** Why it must stop until someone says otherwise; null while it may go on. */
  get stopReason(): string | null {
    return this.budget.reached ?? (this.waste.isTripped ? wasteReason : null)
  }

  /** What the store has counted: our own count only saves asking it. */
  recount(counts: JobCounts): void {
    this.open = openOf(counts)
    this.pages = counts.pages
    this.budget.recount(counts)
  }

  get budgetReached(): boolean {
    return this.pages >= this.maxPages
  }

  /** Neither a rate nor a number of requests at a time for its hosts. */
  get isUnbound(): boolean {
    const { host } = this.job.spec.policy
    return host.rate === 'unlimited' && host.concurrency === undefined
  }

  /** A rate of one's own loosens the default for one's own requests; what the host itself asks for still holds. */
  ask(lookAhead: number): JobHostPolicy {
    const { host } = this.job.spec.policy
    const { robots } = this
    if (!this.isUnbound) return { ...host, robots }
    // The lanes bound what is really in flight; the table only has to keep them fed.
    return { ...host, robots, concurrency: lookAhead }
  }
}

const looksForSitemaps = ({ kind, spec }: Job): boolean =>
  kind !== 'list' && spec.sitemap !== 'skip' && spec.sitemapUrl === undefined

const seedOrigins = (seeds: readonly string[]): Set<string> =>
  new Set(seeds.map(seed => originOf(givenUrl(seed) ?? seed)))

export const openOf = ({ byState }: JobCounts): number =>
  byState.pending + byState.queued + byState.in_progress
