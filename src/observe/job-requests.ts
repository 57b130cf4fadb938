// Remembers the request id and trace of each job in this process, so that the log lines of a job contain them.
import { RecentMap } from '../lib/collections/recent-map.ts'
import type { Job } from '../model/job.ts'

const rememberedJobs = 10_000

interface Known {
  requestId: string | undefined
  traceparent: string | null
}

export class JobRequests {
  readonly #jobs = new RecentMap<string, Known>(rememberedJobs)

  note({ id, traceparent }: Pick<Job, 'id' | 'traceparent'>, requestId?: string): void {
    this.#jobs.set(id, { requestId, traceparent })
  }

  requestOf = (jobId: string): string | null => this.#jobs.get(jobId)?.requestId ?? null

  traceOf = (jobId: string): string | null => this.#jobs.get(jobId)?.traceparent ?? null
}
