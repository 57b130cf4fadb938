// The JSON form of a job in lists and in the event stream of all jobs.
import { hasEnded, type Job } from '../../../model/job.ts'
import type { Server } from '../../parts.ts'
import type { RecentRates } from './rates.ts'
import { sourceOf } from './source-summary.ts'
import { shownCounts, shownJob, shownWait } from './views.ts'

interface Wanted {
  counts: boolean
  live: boolean
}

export class JobLister {
  readonly #server: Server
  readonly #rates: RecentRates

  constructor(server: Server, rates: RecentRates) {
    this.#server = server
    this.#rates = rates
  }

  async show(job: Job, base: string, { counts, live }: Wanted) {
    const { store } = this.#server.parts
    return {
      ...shownJob(job, base),
      ...(counts && { counts: shownCounts(await store.jobs.counts(job.id)) }),
      ...(live && { live: await this.#liveOf(job) }),
    }
  }

  /** The engine has no live data about ended jobs. */
  async #liveOf(job: Job) {
    const source = sourceOf(job)
    if (hasEnded(job.state)) return { source, tasksPerSecond: 0, inFlight: 0, waiting: [] }
    const { waiting, inFlight } = await this.#server.parts.engine.progress(job.id)
    return {
      ...{ source, inFlight, tasksPerSecond: Math.round(this.#rates.of(job.id) * 100) / 100 },
      waiting: waiting.map(shownWait),
    }
  }
}
