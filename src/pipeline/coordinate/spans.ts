// Spans of traced work: a request contains a job, the job its tasks, and each task its stages.
import { anotherSpan, isSampled, spanIdOf } from '../../lib/traces/trace-context.ts'
import type { Emit } from '../../model/events.ts'
import { taskId } from '../../model/ids.ts'
import type { Job } from '../../model/job.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { Span, SpanAttributes } from '../../model/trace.ts'
import type { Settlement } from '../../ports/store.ts'
import { answerFailure } from '../work/answer-failure.ts'
import type { RunningJob } from './running-job.ts'

interface Stretch extends Pick<Span, 'startedAt' | 'endedAt' | 'failure'> {
  attributes?: SpanAttributes
}

/** After the first `tracedTasks` tasks, one in this many is traced. */
const oneIn = 1_000

/** Adds the trace context to a task that is traced. Most tasks of a long job are not traced. */
export function withTrace({ tracedTasks, job }: RunningJob, task: TimedTask, releasedAt: number): TimedTask {
  if (tracedTasks === 0 || (task.n > tracedTasks && task.n % oneIn !== 0)) return task
  return { ...task, trace: { traceparent: anotherSpan(job.traceparent!), releasedAt } }
}

/** Emits the span of one stage of a task, such as fetch or commit. */
function emitStageSpan(
  emit: Emit,
  name: string,
  task: LeasedTask,
  { attributes, ...stretch }: Stretch,
): void {
  if (!task.trace) return
  const { traceparent } = task.trace
  emit('span.ended', {
    ...{ name, ...stretch, traceparent: anotherSpan(traceparent), parentId: spanIdOf(traceparent) },
    attributes: { ...idsOf(task), ...attributes },
  })
}

const idsOf = ({ jobId, n }: LeasedTask): SpanAttributes => ({
  'kscrape.job_id': jobId,
  'kscrape.task_id': taskId(jobId, n),
})

export function emitReleaseSpans(emit: Emit, tasks: readonly TimedTask[], endedAt: number): void {
  for (const task of tasks)
    if (task.trace) emitStageSpan(emit, 'release', task, { startedAt: task.trace.releasedAt, endedAt })
}

/** Emits the span of a request, and of parsing if the lane parsed the page at once. */
export function emitFetchSpan(emit: Emit, task: TimedTask, report: TaskReport, page: Page | null): void {
  if (!task.trace || report.reused === 'cached') return
  const { startedAt, endedAt, readAt, status, bytes, failure } = report
  const refused = page ? answerFailure(page) : failure
  emitStageSpan(emit, task.way === 'browser' ? 'render' : 'fetch', task, {
    ...{ startedAt, endedAt, failure: refused },
    attributes: {
      ...{ 'url.full': task.url, 'server.address': task.host, 'http.response.status_code': status },
      'http.response.body.size': bytes,
    },
  })
  if (page && !refused && readAt !== undefined) emitReadSpan(emit, task, report, endedAt)
}

/** Emits the span of parsing. `report` is the outcome of parsing the page. */
export const emitReadSpan = (emit: Emit, task: LeasedTask, report: TaskReport, startedAt: number): void =>
  emitStageSpan(emit, 'extract', task, {
    ...{ startedAt, endedAt: report.readAt ?? startedAt, failure: report.failure },
    attributes: { 'kscrape.records': report.records.length, 'kscrape.links': report.links?.keys.length ?? 0 },
  })

interface Committed {
  task: LeasedTask
  settlement: Pick<Settlement, 'state' | 'reason' | 'message'>
  /** The span of the job that the task belongs to. */
  above: string | null
}

/** Emits the commit span of each traced task, and the span of each task that ends with this commit. */
export function emitCommitSpans(emit: Emit, group: readonly Committed[], stretch: Stretch): void {
  for (const { task, settlement, above } of group) {
    if (!task.trace || above === null) continue
    const attributes = { 'kscrape.tasks_committed': group.length }
    emitStageSpan(emit, 'commit', task, { ...stretch, attributes })
    const { state, reason, message } = settlement
    const { traceparent, releasedAt } = task.trace
    emit('span.ended', {
      ...{ name: 'task', traceparent, parentId: spanIdOf(above), startedAt: releasedAt },
      endedAt: stretch.endedAt,
      failure: state === 'failed' ? { code: reason, message: message ?? reason } : null,
      attributes: {
        ...idsOf(task),
        ...{ 'url.full': task.url, 'kscrape.attempt': task.attempt },
        ...{ 'kscrape.state': state, 'kscrape.reason': reason },
      },
    })
  }
}

interface Accepted extends Pick<Job, 'id' | 'kind'> {
  traceparent: string
  /** When the request arrived, and when storing the job began. */
  startedAt: number
  createdAt: number
  tasks: number
  face: Job['face'] | undefined
}

/**
 * The spans of an accepted job: the span of the job itself and of storing it. The job's span is the child of the API request, and
 * the parent of all work of the job.
 */
export function acceptedSpans(job: Accepted, above: string | undefined, endedAt: number): Span[] {
  const { id, kind, traceparent, startedAt, createdAt, tasks, face = 'cli' } = job
  return [
    {
      ...{ name: 'job', traceparent, parentId: above ? spanIdOf(above) : null, startedAt, endedAt },
      attributes: { 'kscrape.job_id': id, 'kscrape.kind': kind, 'kscrape.face': face },
    },
    partOfJob(
      'ingest',
      { id, traceparent },
      { startedAt: createdAt, endedAt, attributes: { 'kscrape.tasks': tasks } },
    ),
  ]
}

/** A span for work that belongs to the job as a whole, not to a task. */
export const partOfJob = (
  name: string,
  { id, traceparent }: { id: string; traceparent: string },
  { attributes, ...stretch }: Stretch,
): Span => ({
  ...{ name, ...stretch, traceparent: anotherSpan(traceparent), parentId: spanIdOf(traceparent) },
  attributes: { 'kscrape.job_id': id, ...attributes },
})

export function emitJobSpan(emit: Emit, name: string, { id, traceparent }: Job, stretch: Stretch): void {
  if (traceparent !== null && isSampled(traceparent))
    emit('span.ended', partOfJob(name, { id, traceparent }, stretch))
}
