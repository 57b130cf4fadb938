// Turns events into log lines and metrics. Everything that a service reports about its work is in this file.
import type { Listener } from '../lib/emitter.ts'
import { traceFields } from '../lib/traces/trace-fields.ts'
import type { Events } from '../model/events.ts'
import { taskId } from '../model/ids.ts'
import { hasEnded, type Job } from '../model/job.ts'
import type { NewRecord } from '../model/record.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../server/parts.ts'
import { JobRequests } from './job-requests.ts'
import type { ServiceMetrics } from './metrics/service-metrics.ts'

interface TelemetryParts {
  log: Log
  metrics: ServiceMetrics
  clock: Clock
  job: (jobId: string) => Promise<Job | null>
  /** The request ids and traces of jobs that this process accepted. */
  requests?: JobRequests
  /** Whether the events come from other processes. Those processes count the events in their own metrics. */
  isHearsay?: boolean | undefined
}

/** Maximum number of log lines about tasks per second. Further tasks are only counted, and the count is logged. Failures have
 *  their own limit. */
const mostTaskLines = 200
const mostFailureLines = 1_000

/** The dependencies, with a logger per component. Each component has its own log level. */
type Ears = TelemetryParts & { requests: JobRequests; jobs: Log; fetching: Log }

interface Sampling {
  mayTellEnd: () => boolean
  mayTellFailure: () => boolean
}

export function telemetry(given: TelemetryParts): Listener {
  const { log, requests = new JobRequests() } = given
  const jobs = log.child({ component: 'jobs' })
  const fetching = log.child({ component: 'fetch' })
  const parts: Ears = { ...given, requests, jobs, fetching }
  const sampling = {
    mayTellEnd: sampler(parts, mostTaskLines, 'further ended tasks were not logged one by one'),
    mayTellFailure: sampler(parts, mostFailureLines, 'further failed tasks were not logged one by one'),
  }
  return (name, event) => {
    if (!parts.isHearsay) parts.metrics.hear(name, event)
    if (name === 'task.settled') hearTask(parts, event as Events['task.settled'], sampling)
    else if (name === 'job.moved') void hearJob(parts, event as Events['job.moved'])
    else if (name === 'notice.given') hearNotice(parts, event as Events['notice.given'])
    else if (name === 'host.throttled') fetching.info(event, 'a host asked us to slow down')
    else if (name === 'raw.expired') jobs.info(event, 'raw pages of ended jobs were deleted')
  }
}

function hearTask(
  { fetching: log, metrics, requests }: Ears,
  event: Events['task.settled'],
  { mayTellEnd, mayTellFailure }: Sampling,
): void {
  metrics.heard(event)
  const { jobId, n, state, reason, message, durationMs, attempt, proxy, records } = event
  const url = event.url || (event.requestedUrl ?? '')
  if (!(state === 'failed' ? mayTellFailure() : mayTellEnd())) return
  const ids = { request_id: requests.requestOf(jobId), job_id: jobId, task_id: taskId(jobId, n) }
  const trace = traceFields(event.traceparent ?? requests.traceOf(jobId))
  const fields = { ...ids, ...trace, duration_ms: Math.round(durationMs) }
  if (state === 'failed')
    log.error(
      {
        ...fields,
        ...{ target_url: url, proxy_used: withoutUser(proxy), error_code: reason },
        error_reason: message ?? reason,
        retry_attempts: attempt - 1,
      },
      'a task failed',
    )
  else if (state === 'succeeded')
    log.info(
      {
        ...{ ...fields, target_url: url, target_domain: URL.parse(url)?.host ?? null },
        ...completeness(records),
      },
      'a task is done',
    )
  else log.debug({ ...fields, state, error_code: reason }, 'a task attempt ended')
}

/** Removes user and password from the address of a proxy, with or without a scheme. */
const withoutUser = (proxy: string | null): string | null =>
  proxy?.replace(/^([a-z0-9+.-]+:\/\/)?.*@/i, '$1') ?? null

/** Records longer than this (in characters) are not parsed, because that would block the event loop. */
const mostCountedLength = 500_000

/** How many fields of the records have a value, and their share of all fields. */
function completeness(records: readonly NewRecord[]) {
  if (records.some(({ data }) => data.length > mostCountedLength))
    return { fields_extracted: null, result_completeness: null }
  let all = 0
  let found = 0
  for (const { data } of records)
    for (const value of Object.values(JSON.parse(data) as object)) {
      all += 1
      if (value !== null) found += 1
    }
  return {
    fields_extracted: found,
    result_completeness: all === 0 ? null : Math.round((found / all) * 100) / 100,
  }
}

async function hearJob(parts: Ears, event: Events['job.moved']): Promise<void> {
  const { jobs: log, metrics, job, requests, isHearsay } = parts
  const { jobId, to, reason } = event
  if (requests.traceOf(jobId) === null) await lookUp(parts, jobId)
  const ids = {
    request_id: requests.requestOf(jobId),
    job_id: jobId,
    ...traceFields(requests.traceOf(jobId)),
  }
  log.info({ ...ids, state: to, reason }, `a job is ${to}`)
  if (!hasEnded(to)) return
  const known = await job(jobId).catch(() => null)
  const took = known?.startedAt && known.finishedAt ? known.finishedAt - known.startedAt : null
  if (isHearsay) metrics.heardOfEnd(took)
  else metrics.ended(to, took)
}

/** Loads request id and trace of a job that another or an earlier process has accepted. */
async function lookUp({ job, requests }: Ears, jobId: string): Promise<void> {
  const known = await job(jobId).catch(() => null)
  if (known) requests.note(known)
}

function hearNotice({ jobs: log, requests }: Ears, { jobId, message }: Events['notice.given']): void {
  log.warn(jobId === null ? {} : { job_id: jobId, ...traceFields(requests.traceOf(jobId)) }, message)
}

/** Returns a function that returns true at most `most` times per second. The remaining calls are counted, and the count is
 *  logged. */
function sampler({ fetching: log, clock }: Ears, most: number, words: string): () => boolean {
  let second = 0
  let lines = 0
  let left = 0
  return () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) {
      if (left > 0) log.info({ lines: left }, words)
      second = now
      lines = 0
      left = 0
    }
    lines += 1
    if (lines > most) left += 1
    return lines <= most
  }
}
