// What the exit code says. Where several hold, the first of 130, 1, 5, 6, 3, 4 counts.
import type { FailureCode } from '../model/failures.ts'
import type { Job, JobCounts } from '../model/job.ts'

export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  someFailed: 3,
  budget: 4,
  blocked: 5,
  nothing: 6,
  interrupted: 130,
} as const

const blockedReasons: FailureCode[] = ['host.throttled']

export interface Ending {
  job: Job
  counts: JobCounts
  interrupted: boolean
}

export function exitCodeOf({ job, counts, interrupted }: Ending): number {
  if (interrupted) return exitCodes.interrupted
  if (job.state === 'paused') return job.reason === 'breaker' ? exitCodes.blocked : exitCodes.error
  if (job.state === 'cancelled') return exitCodes.error
  if (blockedReasons.some(reason => (counts.byReason[reason] ?? 0) > 0)) return exitCodes.blocked
  if (counts.records === 0 && counts.byState.succeeded === 0 && counts.byState.failed === 0)
    return exitCodes.nothing
  if (counts.byState.failed > 0) return exitCodes.someFailed
  return exitCodes.ok
}
