// Events become log lines and figures: the one file to know everything that a service says about its work.
import type { Listener } from '../lib/emitter.ts'
import type { Events } from '../model/events.ts'
import { taskId } from '../model/ids.ts'
import { hasEnded, type Job } from '../model/job.ts'
import type { NewRecord } from '../model/record.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../server/parts.ts'
import type { ServiceMetrics } from './metrics.ts'

export interface TelemetryParts {
  log: Log
  metrics: ServiceMetrics
  clock: Clock
  job: (jobId: string) => Promise<Job | null>
  /** Which request a job came with; null where nobody remembers. */
  requestOf: (jobId: string) => string | null
  /** What it hears of was done by other processes, which count it themselves. */
  isHearsay?: boolean | undefined
}

/** Lines about tasks in one second; beyond that they are counted, and the count is said. Failures have room of their own. */
const mostTaskLines = 200
const mostFailureLines = 1_000

interface Sampling {
  mayTellEnd: () => boolean
  mayTellFailure: () => boolean
}

export function telemetry(parts: TelemetryParts): Listener {
  const sampling = {
    mayTellEnd: sampler(parts, mostTaskLines, 'more tasks ended than are logged one by one'),
    mayTellFailure: sampler(parts, mostFailureLines, 'more tasks failed than are logged one by one'),
  }
  return (name, event) => {
    if (!parts.isHearsay) parts.metrics.hear(name, event)
    if (name === 'task.settled') hearTask(parts, event as Events['task.settled'], sampling)
    else if (name === 'job.moved') void hearJob(parts, event as Events['job.moved'])
    else if (name === 'notice.given') hearNotice(parts, event as Events['notice.given'])
    else if (name === 'host.throttled') parts.log.info(event, 'a host asked us to slow down')
    else if (name === 'raw.expired') parts.log.info(event, 'raw pages of ended jobs were deleted')
  }
}

function hearTask(
  { log, metrics, requestOf }: TelemetryParts,
  event: Events['task.settled'],
  { mayTellEnd, mayTellFailure }: Sampling,
): void {
  metrics.heard(event)
  const { jobId, n, url, state, reason, message, durationMs, attempt, proxy, records } = event
  if (!(state === 'failed' ? mayTellFailure() : mayTellEnd())) return
  const ids = { request_id: requestOf(jobId), job_id: jobId, task_id: taskId(jobId, n) }
  const fields = { ...ids, duration_ms: Math.round(durationMs) }
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
      { ...fields, target_domain: URL.parse(url)?.host ?? null, ...completeness(records) },
      'a task is done',
    )
  else log.debug({ ...fields, state, error_code: reason }, 'a task attempt ended')
}

/** `http://user:password@proxy:8080` and `user:password@proxy:8080` are the proxy. */
const withoutUser = (proxy: string | null): string | null =>
  proxy?.replace(/^([a-z0-9+.-]+:\/\/)?.*@/i, '$1') ?? null

/** How many fields have a value, and the share of those that there are. */
function completeness(records: readonly NewRecord[]) {
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

async function hearJob(parts: TelemetryParts, event: Events['job.moved']): Promise<void> {
  const { log, metrics, job, requestOf, isHearsay } = parts
  const { jobId, to, reason } = event
  log.info({ request_id: requestOf(jobId), job_id: jobId, state: to, reason }, `a job is ${to}`)
  if (!hasEnded(to)) return
  const known = await job(jobId).catch(() => null)
  const took = known?.startedAt && known.finishedAt ? known.finishedAt - known.startedAt : null
  if (isHearsay) metrics.heardOfEnd(took)
  else metrics.ended(to, took)
}

function hearNotice({ log }: TelemetryParts, { jobId, message }: Events['notice.given']): void {
  log.warn(jobId === null ? {} : { job_id: jobId }, message)
}

/** True for as many lines a second as that. */
function sampler({ log, clock }: TelemetryParts, most: number, words: string): () => boolean {
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
