// Jobs as a worker or processor of a cluster knows them: loaded with their first task, forgotten when they have ended.
import { openSealer } from '../../adapters/fs/sealer.ts'
import type { Settings } from '../../config/settings.ts'
import { openLedger, spentIn } from '../../extract/llm/token-budget.ts'
import { jarCookie, parseCookieFile } from '../../fetch/http/index.ts'
import { readTextFile } from '../../lib/text-file.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { asksModel, hasEnded, type Job, type JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import { openHeaders } from '../../pipeline/sealed-headers.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { Store } from '../../ports/store.ts'
import { browserLookOf } from '../browser-look.ts'
import { openSessions, sessionOf } from '../sessions.ts'
import { userAgentOf } from '../user-agent.ts'

interface Known {
  lane: LaneJob
  /** Tokens that the store knows of. */
  counted: number
}

export class KnownJobs {
  readonly #store: Store
  readonly #settings: Settings
  readonly #sealer: Sealer
  readonly #jobs = new Map<string, Promise<Known>>()

  constructor(store: Store, settings: Settings) {
    this.#store = store
    this.#settings = settings
    this.#sealer = openSealer(settings.dataDir)
  }

  /** Rejects with `job.unknown` for one that was deleted. */
  async get(jobId: string): Promise<LaneJob> {
    return (await this.#known(jobId)).lane
  }

  #known(jobId: string): Promise<Known> {
    const known = this.#jobs.get(jobId) ?? this.#load(jobId)
    this.#jobs.set(jobId, known)
    known.catch(() => this.#jobs.delete(jobId))
    return known
  }

  async #load(jobId: string): Promise<Known> {
    const job = await this.#store.jobs.get(jobId)
    if (!job) throw new Failure('job.unknown', `job ${jobId} was deleted`, { jobId })
    const { llmTokens } = await this.#store.jobs.counts(jobId)
    return { lane: await this.#laneJob(job, llmTokens), counted: llmTokens }
  }

  async #laneJob(job: Job, llmTokens: number): Promise<LaneJob> {
    const { id, kind, spec } = this.#asItRuns(job)
    return {
      ...{ id, kind, spec },
      userAgent: spec.userAgent ?? userAgentOf(this.#settings),
      cookies: cookiesOf(spec.cookiesFile),
      ...(await this.#sessionOf(spec)),
      slots: this.#settings.concurrency,
      ...(await browserLookOf(spec, this.#settings)),
      inFlight: this.#settings.concurrency,
      ...(asksModel(spec) && { llmLedger: openLedger(llmTokens) }),
    }
  }

  /** With what the store keeps sealed, and sessions that are its workspace's own. */
  #asItRuns(job: Job): Job {
    const spec = openHeaders(this.#sealer, job.id, job.spec)
    const session = sessionOf(job)
    return { ...job, spec: session === undefined ? spec : { ...spec, session } }
  }

  async #sessionOf(spec: JobSpec): Promise<Pick<LaneJob, 'sessionCookies'>> {
    if (spec.session === undefined) return {}
    const state = await openSessions(this.#settings.dataDir).load(spec.session)
    return { sessionCookies: JSON.stringify((state?.cookies ?? []).map(jarCookie)) }
  }

  /** Writes down what was spent on a language model here since the last time. */
  async countTokens(jobId: string): Promise<void> {
    const known = await this.#jobs.get(jobId)?.catch(() => null)
    if (!known?.lane.llmLedger) return
    const spent = spentIn(known.lane.llmLedger)
    if (spent === known.counted) return
    await this.#store.jobs.spend(jobId, spent - known.counted)
    known.counted = spent
  }

  /** Those that are over by now; they are forgotten here. */
  async takeEnded(inUse: (jobId: string) => boolean): Promise<string[]> {
    const ended: string[] = []
    for (const jobId of this.#jobs.keys()) {
      if (inUse(jobId)) continue
      const job = await this.#store.jobs.get(jobId).catch(error => asFailure(error))
      if (job instanceof Failure || (job && !hasEnded(job.state))) continue
      this.#jobs.delete(jobId)
      ended.push(jobId)
    }
    return ended
  }
}

const cookiesOf = (file: string | undefined): string | null =>
  file ? JSON.stringify(parseCookieFile(readTextFile(file))) : null
