// The job that a request is about: there for its own workspace, and for nobody else.

import type { Caller } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'
import type { Server } from './parts.ts'

export async function ownedJob({ parts }: Server, caller: Caller, jobId: string): Promise<Job> {
  const job = await parts.store.jobs.get(jobId)
  if (job && job.workspace === caller.workspace) return job
  throw new Failure('job.unknown', `there is no job "${jobId}"; GET /jobs lists those there are`, { jobId })
}
