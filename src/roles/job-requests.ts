// Which request each job came with, as long as this process runs: so that the log lines of the one lead to the other.
import { RecentMap } from '../lib/recent-map.ts'

const rememberedJobs = 10_000

export class JobRequests {
  readonly #requests = new RecentMap<string, string>(rememberedJobs)

  note(jobId: string, requestId: string | undefined): void {
    if (requestId !== undefined) this.#requests.set(jobId, requestId)
  }

  of = (jobId: string): string | null => this.#requests.get(jobId) ?? null
}
