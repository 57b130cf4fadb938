// What can't be asked of a job that has ended.
import { Failure } from '../model/failures.ts'
import { hasEnded, type Job } from '../model/job.ts'
import type { RequestKind } from '../ports/store.ts'

export function refuseUnfit({ id, state }: Job, kind: RequestKind): void {
  const isRepeated = kind === 'cancel' && state === 'cancelled'
  if (kind === 'retry' || !hasEnded(state) || isRepeated) return
  const way = kind === 'resume' ? '; retry it to run what failed again' : ''
  throw new Failure('job.wrong-state', `job ${id} has ended (${state}): there is nothing to ${kind}${way}`, {
    jobId: id,
    state,
  })
}
