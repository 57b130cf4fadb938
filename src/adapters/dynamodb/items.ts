// The format of job items in DynamoDB.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { chosenId, taskId } from '../../model/ids.ts'
import type { TaskState } from '../../model/task.ts'
import type { MirroredItem, MirroredJob } from '../../ports/item-mirror.ts'

export type Row = Record<string, AttributeValue>

/** The sort key of the row with the counts of a job. No item can have this key. */
const jobRowId = '#job'

/** Maps task states to status names in DynamoDB. Only the names for `succeeded` and `failed` differ. */
const statusOf: Record<TaskState, string> = {
  ...{ pending: 'pending', queued: 'queued', in_progress: 'in_progress' },
  ...{ succeeded: 'success', failed: 'error', skipped: 'skipped', cancelled: 'cancelled' },
}

export function itemRow({ version, job, task, attempts, storageKeys }: MirroredItem): Row {
  const last = attempts.at(-1)
  const failed = task.state === 'failed' || task.state === 'pending' ? last : undefined
  return withoutNulls({
    job_id: text(chosenId(job.id)),
    item_id: text(task.itemId ?? `task-${task.n}`),
    task_id: text(taskId(job.id, task.n)),
    workspace: text(job.workspace),
    scraper_id: text(job.spec.scraperId),
    url: task.url === '' ? null : text(task.url),
    status: text(statusOf[task.state]),
    reason: task.reason === null ? null : text(task.reason),
    attempts: number(attempts.length),
    retry_count: number(Math.max(0, attempts.length - 1)),
    error_type: failed && failed.outcome !== 'ok' ? text(failed.outcome) : null,
    error_message: failed?.message ? text(failed.message) : null,
    http_status: last?.status == null ? null : number(last.status),
    first_attempt_at: attempts[0] ? time(attempts[0].startedAt) : null,
    last_attempt_at: last ? time(last.endedAt) : null,
    storage_keys: {
      M: Object.fromEntries(Object.entries(storageKeys).map(([name, key]) => [name, text(key)])),
    },
    version: number(version),
  })
}

/** The row with the fields that `get_job_failure_metrics()` reads. */
export function jobRow({ version, job, counts }: MirroredJob): Row {
  const { succeeded, failed } = counts.byState
  const ended = succeeded + failed
  return withoutNulls({
    job_id: text(chosenId(job.id)),
    item_id: text(jobRowId),
    workspace: text(job.workspace),
    scraper_id: text(job.spec.scraperId),
    status: text(job.state),
    reason: job.reason === null ? null : text(job.reason),
    total_items: number(counts.tasks),
    success_count: number(succeeded),
    error_count: number(failed),
    failure_rate: number(ended === 0 ? 0 : failed / ended),
    created_at: time(job.createdAt),
    finished_at: job.finishedAt === null ? null : time(job.finishedAt),
    version: number(version),
  })
}

const text = (S: string): AttributeValue => ({ S })
const number = (value: number): AttributeValue => ({ N: String(value) })
const time = (at: number): AttributeValue => text(new Date(at).toISOString())

const withoutNulls = (row: Record<string, AttributeValue | null>): Row =>
  Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, AttributeValue] => entry[1] !== null),
  )
