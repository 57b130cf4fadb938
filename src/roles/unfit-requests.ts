// What can't be asked of a job that has ended, or is about to.
import { Failure } from '../model/failures.ts'
import { hasEnded, type Job } from '../model/job.ts'
import { comesTooLate } from '../pipeline/coordinate/control-requests.ts'
import type { RunningJob } from '../pipeline/coordinate/running-job.ts'
import type { RequestKind } from '../ports/store.ts'

export function refuseUnfit({ id, state }: Job, kind: RequestKind, running?: RunningJob): void {
  const tell = (why: string) => new Failure('job.wrong-state', `job ${id} ${why}`, { jobId: id, state })
  if (running && comesTooLate(running, kind))
    throw tell(
      `is ${state}: its last files are being written; ${kind === 'pause' ? 'there is nothing to pause' : 'retry it when it has ended'}`,
    )
  if (running?.cancelled && kind !== 'cancel')
    throw tell(`is being cancelled: there is nothing to ${kind}; wait until it has ended`)
  const isRepeated = kind === 'cancel' && state === 'cancelled'
  if (kind === 'retry' || !hasEnded(state) || isRepeated) return
  const way = kind === 'resume' ? '; retry it to run what failed again' : ''
  throw tell(`has ended (${state}): there is nothing to ${kind}${way}`)
}
