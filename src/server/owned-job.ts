// The job that a request is about: there for its own workspace, and for nobody else.

import { type Caller, idIn } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'
import type { Server } from './parts.ts'

type Parts = Pick<Server, 'parts'>

export async function ownedJob(server: Parts, caller: Caller, jobId: string): Promise<Job> {
  const job = await findOwned(server, caller, jobId)
  if (job) return job
  throw new Failure('job.unknown', `there is no job "${jobId}"; GET /jobs lists those there are`, { jobId })
}

/** What a job is stored by, for filters: where there is none (any more), what it would be. */
export async function storedJobId(server: Parts, caller: Caller, jobId: string): Promise<string> {
  return (await findOwned(server, caller, jobId))?.id ?? idIn(caller.workspace, jobId)
}

async function findOwned({ parts }: Parts, caller: Caller, jobId: string): Promise<Job | null> {
  // Named by us, or by its workspace.
  for (const id of new Set([jobId, idIn(caller.workspace, jobId)])) {
    const job = await parts.store.jobs.get(id)
    if (job && job.workspace === caller.workspace) return job
  }
  return null
}
