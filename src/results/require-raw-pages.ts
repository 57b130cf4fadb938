// Refuses jobs that store no raw pages.
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'

export function requireRawPages(job: Job): void {
  if (job.spec.results.raw !== 'none') return
  const message = `job ${job.id} has no raw pages (results.raw is "none"); run it with raw pages`
  throw new Failure('input.invalid', message, { jobId: job.id })
}
