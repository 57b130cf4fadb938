// Exit codes. If several apply, the first one of this order is used: 130 (interrupted), 4 (limit of the job), 1 (ended early), 5
// (blocked), 6 (no records), 3 (some tasks failed), 4 (page limit of the operator). See docs/exit-codes.md.
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

export interface Ending {
  job: Job
  counts: JobCounts
  interrupted: boolean
  /** Whether dead links of a crawl count as failures. */
  strict?: boolean | undefined
  /** The operator's limit of pages per job. */
  maxPagesPerJob?: number | undefined
}

export function exitCodeOf(ending: Ending): number {
  const { job, counts, interrupted } = ending
  if (interrupted) return exitCodes.interrupted
  if (isAtLimit(job)) return exitCodes.budget
  if (isBroken(job)) return exitCodes.error
  if (isBlocked(job, counts)) return exitCodes.blocked
  if (isEmpty(job, counts)) return exitCodes.nothing
  if (counts.byState.failed > 0 && (ending.strict || !hasOnlyDeadLinks(job, counts)))
    return exitCodes.someFailed
  return wasCut(ending) ? exitCodes.budget : exitCodes.ok
}

/** Whether the only failures are dead links (404 or 410). A crawl with dead links still counts as completed. */
export const hasOnlyDeadLinks = ({ state }: Job, { byState, byReason }: JobCounts): boolean =>
  state === 'completed' && byState.failed > 0 && byState.failed <= (byReason['http.not-found'] ?? 0)

/** Whether the job stopped at its budget. Nothing is lost, and the budget can be raised. */
const isAtLimit = ({ state, reason }: Job): boolean =>
  state === 'paused' && reason?.startsWith('limit.') === true

/** Whether the job ended early: it was cancelled, it is paused although no site blocked it, or reading its input failed. */
const isBroken = ({ state, reason }: Job): boolean =>
  state === 'cancelled' ||
  (state === 'paused' && reason !== 'breaker' && reason !== 'waste.blocked') ||
  (state === 'failed' && reason !== null)

const refusals: FailureCode[] = [
  'robots.disallowed',
  'host.denied',
  'blocked.captcha',
  'blocked.login',
  'blocked.consent',
  'blocked.refused',
]

/** Whether sites blocked the job. There are three cases: its breaker or its waste guard paused the job; a task got 429 on all
 *  retries; or no task got a page, and at least one task met a wall or was not allowed. */
function isBlocked({ state }: Job, { byReason, pages }: JobCounts): boolean {
  if (state === 'paused' || (byReason['host.throttled'] ?? 0) > 0) return true
  return pages === 0 && refusals.some(reason => (byReason[reason] ?? 0) > 0)
}

/** Whether the job produced nothing: no record, or no URL if it is a map job. If tasks failed and none succeeded, the result is
 *  false, so that the exit code reports the failures. */
function isEmpty({ kind }: Job, { records, byState, tasks }: JobCounts): boolean {
  if (byState.failed > 0 && byState.succeeded === 0) return false
  return kind === 'map' ? tasks === 0 || byState.succeeded === 0 : records === 0
}

/** Whether the operator's limit stopped the job, and not the limit of the job itself. */
function wasCut({ job, counts, maxPagesPerJob = Number.POSITIVE_INFINITY }: Ending): boolean {
  const own = job.spec.maxPages ?? Number.POSITIVE_INFINITY
  return own > maxPagesPerJob && (counts.byReason['budget.max-pages'] ?? 0) > 0
}
