// Finds the job of a request, only within the caller's workspace.

import { type Caller, idIn } from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import type { Job } from '../model/job.ts'
import type { Server } from './parts.ts'

type Parts = Pick<Server, 'parts'>

export async function ownedJob(server: Parts, caller: Caller, jobId: string): Promise<Job> {
  const job = await findOwned(server, caller, jobId)
  if (job) return job
  throw new Failure('job.unknown', `there is no job "${jobId}"; GET /jobs lists all jobs`, { jobId })
}

/** The stored id of a job, for filters. If the job does not exist, returns the id that the job would have. */
export async function storedJobId(server: Parts, caller: Caller, jobId: string): Promise<string> {
  return (await findOwned(server, caller, jobId))?.id ?? idIn(caller.workspace, jobId)
}

async function findOwned({ parts }: Parts, caller: Caller, jobId: string): Promise<Job | null> {
  // Tries both forms of the id: as the service generates it, and as a workspace chooses it.
  for (const id of new Set([jobId, idIn(caller.workspace, jobId)])) {
    const job = await parts.store.jobs.get(id)
    if (job && job.workspace === caller.workspace) return job
  }
  return null
}
