// Controls jobs of a service. Each call returns when the change is done.
import { type Client, hasEnded } from '../../client.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import type { RequestKind } from '../../ports/store.ts'
import { fetchSpecOf } from '../flags/flag-spec.ts'
import type { CommonFlags, FetchFlags } from '../flags/flags.ts'
import { refuseLocalFlags } from '../service.ts'

export async function steerOnService(
  { jobs }: Client,
  jobId: string,
  flags: FetchFlags,
  kind: RequestKind,
): Promise<void> {
  refuseChanges(flags)
  const { status } = await jobs[kind](jobId)
  report(flags, { id: jobId, state: status }, `${jobId} is ${status}`)
}

/** Refuses flags that change the job. Locally they apply to the resumed run, but a service resumes the job as it was
 *  submitted. */
function refuseChanges(flags: FetchFlags): void {
  refuseLocalFlags(flags)
  const { userAgent, contact } = flags
  if (Object.keys(fetchSpecOf(flags)).length === 0 && userAgent === undefined && contact === undefined) return
  throw new Failure(
    'input.invalid',
    'a service resumes a job as it was submitted; leave out flags that change it',
  )
}

/** With `--force`, cancels the job before it is deleted. */
export async function deleteOnService(
  { jobs }: Client,
  jobId: string,
  flags: CommonFlags & { force?: boolean },
): Promise<void> {
  const { status } = await jobs.get(jobId)
  if (flags.force && !hasEnded({ status })) {
    await jobs.cancel(jobId)
    await jobs.wait(jobId)
  }
  await jobs.delete(jobId)
  report(flags, { id: jobId, state: status }, `${jobId}: deleted`)
}

export function report(flags: CommonFlags, { id, state }: Pick<Job, 'id' | 'state'>, line: string): void {
  if (flags.json) process.stdout.write(`${JSON.stringify({ job_id: id, state })}\n`)
  else if (!flags.quiet) process.stderr.write(`${line}\n`)
}
