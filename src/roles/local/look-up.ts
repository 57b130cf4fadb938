// Finds a job in a data directory, and the rules that a language model proposed for it.
import type { Proposal } from '../../extract/llm/proposed-rules.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { proposedRulesKey } from '../../results/keys.ts'
import type { DataDirectory } from '../data-directory.ts'

export type { Proposal, ProposedField } from '../../extract/llm/proposed-rules.ts'

export async function jobNamed(data: DataDirectory, jobId: string): Promise<Job> {
  const job = await data.store.jobs.get(jobId)
  if (job) return job
  throw new Failure(
    'job.unknown',
    `there is no job "${jobId}" in ${data.path}; \`kscrape jobs list\` lists the jobs`,
    { jobId },
  )
}

/** The rules that a language model proposed for a job, and which of them were used; null if there are none. */
export async function proposedRules({ blobs }: DataDirectory, jobId: string): Promise<Proposal | null> {
  const bytes = await blobs.get(proposedRulesKey(jobId))
  return bytes ? (JSON.parse(bytes.toString()) as Proposal) : null
}
