// The JSON form of jobs and tasks in the scrape API, for responses and callbacks.
import { errorNameOf } from '../../model/error-names.ts'
import { type FailureCode, failures } from '../../model/failures.ts'
import { hasEnded, type Job, type JobCounts } from '../../model/job.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { StoredRecord } from '../../model/record.ts'
import { idsIn } from '../../model/scraper-ids.ts'
import { isTerminal, type Task, type TaskState } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { cancelledReason } from '../coordinate/running-job.ts'
import { warningsOf } from './result-items.ts'
import { scrapeTaskId } from './scrape-ids.ts'

export const taskStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
type TaskStatus = (typeof taskStatuses)[number]

export const jobStatuses = [
  'queued',
  'running',
  'completed',
  'partially_completed',
  'failed',
  'cancelled',
] as const
type JobStatus = (typeof jobStatuses)[number]

/** The status of each task state in this API. A skipped page (robots.txt, do-not-crawl list) counts as a failure, because the
 *  caller did not get it. */
export const taskStatusOf: Readonly<Record<TaskState, TaskStatus>> = {
  pending: 'queued',
  queued: 'queued',
  in_progress: 'running',
  succeeded: 'completed',
  failed: 'failed',
  skipped: 'failed',
  cancelled: 'cancelled',
}

type ByState = JobCounts['byState']

/** The status of a job, from the states of its tasks. A cancelled job has the status `cancelled` even while its last tasks finish. */
export function jobStatusOf({ state, reason }: Pick<Job, 'state' | 'reason'>, byState: ByState): JobStatus {
  if (state === 'cancelled' || (state === 'finishing' && reason === cancelledReason)) return 'cancelled'
  if (state === 'pending') return 'queued'
  if (!hasEnded(state)) return 'running'
  if (byState.failed + byState.skipped === 0) return 'completed'
  return byState.succeeded === 0 ? 'failed' : 'partially_completed'
}

export function jobShown(job: Job, { tasks, byState, byReason }: JobCounts) {
  const failed = byState.failed + byState.skipped
  const { succeeded, cancelled } = byState
  return {
    job_id: job.id,
    status: jobStatusOf(job, byState),
    total_tasks: tasks,
    queued_tasks: byState.pending + byState.queued,
    running_tasks: byState.in_progress,
    completed_tasks: succeeded,
    failed_tasks: failed,
    cancelled_tasks: cancelled,
    progress: { completed: succeeded + failed + cancelled, total: tasks },
    summary: { succeeded, failed, cancelled, errors: errorsIn(byReason) },
    created_at: isoTime(job.createdAt),
    started_at: isoTimeOrNull(job.startedAt),
    completed_at: isoTimeOrNull(job.finishedAt),
  }
}

function errorsIn(byReason: JobCounts['byReason']): Record<string, number> {
  const failed = Object.entries(byReason).filter(
    ([reason]) => reason in failures && reason !== 'job.cancelled',
  )
  return Object.fromEntries(failed.map(([reason, count]) => [errorNameOf(reason as FailureCode), count]))
}

export async function taskShown({ tasks, records }: Pick<Store, 'tasks' | 'records'>, job: Job, task: Task) {
  const isDone = task.state === 'succeeded'
  const all = isDone ? await records.ofTask(job.id, task.n) : []
  const [found = null, ...further] = all
  const attempts = await tasks.attempts(job.id, task.n)
  return {
    task_id: scrapeTaskId(job.id, task.n),
    job_id: job.id,
    status: taskStatusOf[task.state],
    url: task.url,
    target_type: targetTypeOf(job, task),
    result: found && dataOf(found),
    further_results: further.map(dataOf),
    notices: isDone ? noticesOf(task, all) : [],
    error: taskStatusOf[task.state] === 'failed' ? errorOf(task) : null,
    attempts: task.attempt,
    created_at: isoTime(job.createdAt),
    started_at: isoTimeOrNull(attempts[0]?.startedAt ?? null),
    completed_at: isTerminal(task.state) ? isoTimeOrNull(attempts.at(-1)?.endedAt ?? null) : null,
  }
}

const isoTime = (at: number): string => new Date(at).toISOString()
const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const dataOf = ({ data }: { data: string }) => JSON.parse(data) as Record<string, unknown>

/** The target type of a task. In a batch with several types, each row names its type. */
export function targetTypeOf({ spec }: Job, { input }: Pick<Task, 'input'>): string {
  const row = input === null ? {} : (JSON.parse(input) as { target_type?: unknown })
  return idsIn(spec.scraperId).length > 1 ? String(row.target_type) : spec.scraperId
}

/** The warnings of the records. For a completed task without records, returns one warning with the reason. */
function noticesOf({ message }: Task, records: StoredRecord[]): PageWarning[] {
  if (records.length > 0) return records.flatMap(record => warningsOf(record).warnings ?? [])
  return message === null ? [] : [{ code: 'extract.no-match', message }]
}

const errorOf = ({ reason, message }: Task) => ({
  code: errorNameOf((reason ?? 'internal.bug') as FailureCode),
  message,
  details: { reason },
})
