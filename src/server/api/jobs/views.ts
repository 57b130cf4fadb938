// The JSON forms of jobs and tasks.

import { traceIdOf } from '../../../lib/traces/trace-context.ts'
import { chosenId, taskId } from '../../../model/ids.ts'
import type { Job, JobCounts } from '../../../model/job.ts'
import { withoutOwnLabels } from '../../../model/own-labels.ts'
import { waitText } from '../../../model/policy/waits.ts'
import type { StoredRecord } from '../../../model/record.ts'
import type { Task } from '../../../model/task.ts'
import type { JobProgress } from '../../../pipeline/report/job-progress.ts'
import { itemNameOf, recordItem } from '../../../pipeline/report/result-items.ts'
import { isoTime, isoTimeOrNull } from '../../http/responses.ts'

type Wait = JobProgress['waiting'][number]

export function linksOf(base: string, jobId: string) {
  const self = `${base}/jobs/${chosenId(jobId)}`
  return {
    self,
    status: `${self}/status`,
    results: `${self}/results`,
    items: `${self}/items`,
    events: `${self}/events`,
  }
}

export const shownWait = (wait: Wait) => ({
  ...wait,
  nextAt: isoTimeOrNull(wait.nextAt),
  why: waitText(wait.reason, wait),
})

export const shownJob = (job: Job, base: string) => ({
  jobId: chosenId(job.id),
  status: job.state,
  reason: job.reason,
  kind: job.kind,
  face: job.face,
  scraperId: job.spec.scraperId,
  scheduleId: job.scheduleId && chosenId(job.scheduleId),
  traceId: job.traceparent && traceIdOf(job.traceparent),
  labels: withoutOwnLabels(job.spec.labels),
  createdAt: isoTime(job.createdAt),
  startedAt: isoTimeOrNull(job.startedAt),
  finishedAt: isoTimeOrNull(job.finishedAt),
  resumeAt: isoTimeOrNull(job.resumeAt),
  links: linksOf(base, job.id),
})

export const shownCounts = ({
  tasks,
  pages,
  records,
  bytes,
  rendered,
  exactlyParsed,
  llmTokens,
  byState,
  byReason,
  linksRefused,
  warnings,
}: JobCounts) => ({
  ...{ tasks, pages, records, bytes, rendered, exactlyParsed, llmTokens, byState },
  byReason: byReason as Record<string, number>,
  linksRefused: linksRefused as Record<string, number>,
  warnings,
})

export const shownTask = (task: Task) => ({
  itemId: itemNameOf(task),
  taskId: taskId(task.jobId, task.n),
  kind: task.kind,
  url: task.url,
  status: task.state,
  reason: task.reason,
  message: task.message,
  attempts: task.attempt,
  depth: task.depth,
})

/** A record with the source of each field. */
export const withSources = (record: StoredRecord) => ({
  ...recordItem(record),
  provenance: JSON.parse(record.provenance ?? '{}') as Record<string, unknown>,
})
