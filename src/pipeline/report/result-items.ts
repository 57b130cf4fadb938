// The JSON form of a job's records and failures, for the results API and webhooks.
import { taskId } from '../../model/ids.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import type { Task } from '../../model/task.ts'
import type { FailedTask } from '../../ports/store.ts'

/** The item id that the caller gave. If there is none, `task-` and the task number. */
export const itemNameOf = ({ itemId, n }: Pick<Task, 'itemId' | 'n'>): string => itemId ?? `task-${n}`

export const recordItem = (record: StoredRecord) => ({
  itemId: itemNameOf(record),
  taskId: taskId(record.jobId, record.n),
  url: record.url,
  status: 'success' as const,
  finalUrl: record.finalUrl,
  httpStatus: record.status,
  fetchedAt: new Date(record.fetchedAt).toISOString(),
  scraper: record.scraper,
  data: JSON.parse(record.data) as RecordData,
  ...(record.input !== null && { input: JSON.parse(record.input) as RecordData }),
  ...warningsOf(record),
})

/** The warnings of a record as a field. Without warnings, the object is empty. */
export function warningsOf({ way }: Pick<StoredRecord, 'way'>): { warnings?: PageWarning[] } {
  const { warnings } = way === null ? {} : (JSON.parse(way) as Partial<PageWay>)
  return warnings?.length ? { warnings } : {}
}

export const failedItem = (task: FailedTask) => ({
  itemId: itemNameOf(task),
  taskId: taskId(task.jobId, task.n),
  url: task.url,
  status: 'error' as const,
  error: { code: task.reason ?? 'internal.bug', message: task.message, attempts: task.attempt },
})
