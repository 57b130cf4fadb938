// Caches the progress of jobs for a short time. Only the leaders know the progress, and an API response must not wait for a
// busy coordinator.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { JobProgress } from '../../pipeline/report/job-progress.ts'
import type { Clock } from '../../ports/clock.ts'

/** Live progress from the leaders; null while no coordinator leads. */
export type Led = Pick<JobProgress, 'inFlight' | 'hosts' | 'waiting' | 'retries' | 'breaker'> | null

/** Values older than `freshMs` are requested again. Until the new value arrives, callers get the old value, unless it is older
 *  than `keptMs`. */
const freshMs = 1_000
const keptMs = 5_000
const keptJobs = 1_000

interface Known {
  led: Led
  at: number
}

export class LeaderProgress {
  readonly #ask: (jobId: string) => Promise<Led>
  readonly #clock: Clock
  readonly #known = new RecentMap<string, Known>(keptJobs)
  readonly #asking = new Map<string, Promise<Led>>()

  constructor(ask: (jobId: string) => Promise<Led>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  async of(jobId: string): Promise<Led> {
    const known = this.#known.get(jobId)
    const age = known ? this.#clock.now() - known.at : Number.POSITIVE_INFINITY
    if (known && age < freshMs) return known.led
    const asking = this.#askOnce(jobId)
    if (!known || age >= keptMs) return asking
    asking.catch(() => {})
    return known.led
  }

  /** Drops the cached progress of a job that has changed. */
  forget(jobId: string): void {
    this.#known.delete(jobId)
    this.#asking.delete(jobId)
  }

  #askOnce(jobId: string): Promise<Led> {
    const asked = this.#asking.get(jobId)
    if (asked) return asked
    const asking = this.#ask(jobId).then(led => {
      if (this.#asking.get(jobId) === asking) this.#known.set(jobId, { led, at: this.#clock.now() })
      return led
    })
    this.#asking.set(jobId, asking)
    const done = () => {
      if (this.#asking.get(jobId) === asking) this.#asking.delete(jobId)
    }
    asking.then(done, done)
    return asking
  }
}
