// Unfinished jobs of an earlier process, and which of them continue automatically.
import { entriesById } from '../lib/list-pages.ts'
import { type Job, openStates } from '../model/job.ts'
import { noHealthyProxy } from '../pipeline/coordinate/job-identities.ts'
import type { Store } from '../ports/store.ts'

export const unendedJobs = ({ jobs }: Store): AsyncGenerator<Job> =>
  entriesById(100, page => jobs.list({ states: [...openStates], ...page }))

/** Whether the job continues automatically. A job that a user paused continues only when a user resumes it. */
export const goesOnByItself = ({ state, reason, resumeAt }: Job): boolean =>
  state !== 'paused' ||
  reason === 'interrupted' ||
  resumeAt !== null ||
  reason === noHealthyProxy ||
  reason?.startsWith('storage.') === true
