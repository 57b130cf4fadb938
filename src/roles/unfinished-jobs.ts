// Unfinished jobs of an earlier process, and which of them continue automatically.
import type { Job } from '../model/job.ts'
import { noHealthyProxy } from '../pipeline/coordinate/job-identities.ts'
import type { Store } from '../ports/store.ts'

const unendedStates = ['pending', 'running', 'paused', 'finishing'] as const

export async function* unendedJobs({ jobs }: Store): AsyncGenerator<Job> {
  for (let cursor: string | undefined; ; ) {
    const page = await jobs.list({ states: [...unendedStates], limit: 100, ...(cursor && { cursor }) })
    yield* page
    cursor = page.at(-1)?.id
    if (cursor === undefined) return
  }
}

/** Whether the job continues automatically. A job that a user paused continues only when a user resumes it. */
export const goesOnByItself = ({ state, reason, resumeAt }: Job): boolean =>
  state !== 'paused' ||
  reason === 'interrupted' ||
  resumeAt !== null ||
  reason === noHealthyProxy ||
  reason?.startsWith('storage.') === true
