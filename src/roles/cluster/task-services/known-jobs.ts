// Jobs that a worker or processor has loaded. A job is loaded with its first task, and dropped after it has ended.
import { openSealer } from '../../../adapters/fs/sealer.ts'
import type { Settings } from '../../../config/settings.ts'
import { systemClock } from '../../../lib/clocks.ts'
import { userAgentOf } from '../../../lib/user-agent.ts'
import { asFailure, Failure } from '../../../model/failures.ts'
import { hasEnded, type Job, letsTasksFinish } from '../../../model/job.ts'
import type { LaneJob } from '../../../model/lane.ts'
import { cancelledReason } from '../../../pipeline/coordinate/running-job.ts'
import type { SettlingJob } from '../../../pipeline/coordinate/settle/settle-reports.ts'
import type { Lane } from '../../../pipeline/work/lane/lane.ts'
import type { Sealer } from '../../../ports/secrets.ts'
import type { Store } from '../../../ports/store.ts'
import { asItRuns, cookiesOf, sessionCookies } from '../../job-as-it-runs.ts'
import { browserLookOf } from '../../lanes/browser-look.ts'
import type { Sessions } from '../../sessions.ts'

interface Known {
  lane: LaneJob
  /** The loaded spec as JSON text. It is compared with the stored spec to detect changes. */
  spec: string
  isCancelled: boolean
}

export class KnownJobs {
  readonly #store: Store
  readonly #settings: Settings
  readonly #sealer: Sealer
  readonly #sessions: Pick<Sessions, 'load'>
  readonly #jobs = new Map<string, Promise<Known>>()

  constructor(store: Store, settings: Settings, sessions: Pick<Sessions, 'load'>) {
    this.#store = store
    this.#settings = settings
    this.#sessions = sessions
    this.#sealer = openSealer(settings.dataDir)
  }

  /** Rejects with `job.unknown` if the job was deleted. */
  async get(jobId: string): Promise<LaneJob> {
    const known = this.#jobs.get(jobId) ?? this.#load(jobId)
    this.#jobs.set(jobId, known)
    known.catch(() => this.#jobs.delete(jobId))
    return (await known).lane
  }

  /** Like `get`. Rejects with `job.cancelled` if no more pages of the job may be fetched. */
  async toFetch(jobId: string): Promise<LaneJob> {
    const lane = await this.get(jobId)
    if ((await this.#jobs.get(jobId))?.isCancelled) {
      this.forget(jobId)
      throw new Failure('job.cancelled', `job ${jobId} was cancelled`, { jobId })
    }
    return lane
  }

  forget(jobId: string): void {
    this.#jobs.delete(jobId)
  }

  async #load(jobId: string): Promise<Known> {
    const job = await this.#store.jobs.get(jobId)
    if (!job) throw new Failure('job.unknown', `job ${jobId} was deleted`, { jobId })
    return this.#known(job)
  }

  async #known(job: Job): Promise<Known> {
    const { id, kind, workspace, spec, traceparent } = asItRuns(this.#sealer, job)
    const lane: LaneJob = {
      ...{ id, kind, workspace, spec, traceparent },
      userAgent: spec.userAgent ?? userAgentOf(this.#settings),
      ...cookiesOf(spec.cookiesFile),
      ...(await sessionCookies(this.#sessions, spec)),
      slots: this.#settings.concurrency,
      ...(await browserLookOf(spec, this.#settings)),
      inFlight: this.#settings.concurrency,
    }
    return { lane, spec: JSON.stringify(job.spec), isCancelled: isCancelled(job) }
  }

  /** Compares the loaded jobs with the store. Returns ended and cancelled jobs, and jobs whose spec changed. */
  async look(
    inUse: (jobId: string) => boolean,
  ): Promise<{ ended: string[]; cancelled: string[]; changed: LaneJob[] }> {
    const ended: string[] = []
    const cancelled: string[] = []
    const changed: LaneJob[] = []
    for (const [jobId, loading] of this.#jobs) {
      const job = await this.#store.jobs.get(jobId).catch(error => asFailure(error))
      if (job instanceof Failure) continue
      if (job && isCancelled(job)) cancelled.push(jobId)
      // If a part of a changed job, such as its session cookies, cannot be loaded now, the next check loads it.
      if (job && !hasEnded(job.state)) changed.push(...(await this.#changed(job, loading).catch(() => [])))
      else if (!inUse(jobId)) {
        this.#jobs.delete(jobId)
        ended.push(jobId)
      }
    }
    return { ended, cancelled, changed }
  }

  /** Returns the reloaded job if its spec changed: a limit was raised, or a policy was edited. */
  async #changed(job: Job, loading: Promise<Known>): Promise<LaneJob[]> {
    const known = await loading.catch(() => null)
    if (!known || known.spec === JSON.stringify(job.spec)) return []
    const renewed = await this.#known(job)
    this.#jobs.set(job.id, Promise.resolve(renewed))
    return [renewed.lane]
  }
}

/** Whether the job is cancelled or being cancelled, and its tasks in flight must be aborted. */
const isCancelled = (job: Job): boolean =>
  !letsTasksFinish(job) &&
  (job.state === 'cancelled' || (job.state === 'finishing' && job.reason === cancelledReason))

/** The job data that settling needs, from a lane that has the job open. Undefined if the lane does not have it. */
export function settlingJobIn(lane: Lane, jobId: string): SettlingJob | undefined {
  const open = lane.job(jobId)
  if (!open) return undefined
  const { scope, canonical } = open
  const { kind, spec, traceparent = null } = open.job
  return { kind, spec, scope, canonical, isOpen: true, traceparent }
}

const lookEveryMs = 5_000

interface Upkeep {
  lane: Lane
  jobs: KnownJobs
  /** Called for each cancelled job, in case the message about its cancellation was lost. */
  onCancelled?: (jobId: string) => void
}

/** Periodically closes ended jobs in a lane and reloads changed ones. */
export async function maintainJobs({ lane, jobs, onCancelled }: Upkeep, signal: AbortSignal): Promise<void> {
  const inUse = (jobId: string) => {
    const job = lane.job(jobId)
    return job !== undefined && (job.running > 0 || job.backlog.length > 0)
  }
  while (!signal.aborted) {
    await systemClock.sleep(lookEveryMs, signal).catch(() => {})
    const { ended, changed, cancelled } = await jobs.look(inUse)
    for (const jobId of cancelled) onCancelled?.(jobId)
    for (const jobId of ended) void lane.closeJob(jobId)
    for (const job of changed) lane.renewJob(job)
  }
}
