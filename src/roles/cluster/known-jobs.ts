// Jobs as a worker or processor of a cluster knows them: loaded with their first task, forgotten when they have ended.
import { openSealer } from '../../adapters/fs/sealer.ts'
import type { Settings } from '../../config/settings.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { hasEnded } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { Store } from '../../ports/store.ts'
import { browserLookOf } from '../browser-look.ts'
import { asItRuns, cookiesOf, sessionCookies } from '../job-as-it-runs.ts'
import type { Sessions } from '../sessions.ts'
import { userAgentOf } from '../user-agent.ts'

export class KnownJobs {
  readonly #store: Store
  readonly #settings: Settings
  readonly #sealer: Sealer
  readonly #sessions: Pick<Sessions, 'load'>
  readonly #jobs = new Map<string, Promise<LaneJob>>()

  constructor(store: Store, settings: Settings, sessions: Pick<Sessions, 'load'>) {
    this.#store = store
    this.#settings = settings
    this.#sessions = sessions
    this.#sealer = openSealer(settings.dataDir)
  }

  /** Rejects with `job.unknown` for one that was deleted. */
  get(jobId: string): Promise<LaneJob> {
    const known = this.#jobs.get(jobId) ?? this.#load(jobId)
    this.#jobs.set(jobId, known)
    known.catch(() => this.#jobs.delete(jobId))
    return known
  }

  async #load(jobId: string): Promise<LaneJob> {
    const job = await this.#store.jobs.get(jobId)
    if (!job) throw new Failure('job.unknown', `job ${jobId} was deleted`, { jobId })
    const { id, kind, spec } = asItRuns(this.#sealer, job)
    return {
      ...{ id, kind, spec },
      userAgent: spec.userAgent ?? userAgentOf(this.#settings),
      cookies: cookiesOf(spec.cookiesFile),
      ...(await sessionCookies(this.#sessions, spec)),
      slots: this.#settings.concurrency,
      ...(await browserLookOf(spec, this.#settings)),
      inFlight: this.#settings.concurrency,
    }
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
