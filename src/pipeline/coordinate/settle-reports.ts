// Reports become settlements and discoveries: what is written down of them, whoever writes it.
import { canonicalUrl, hostOf, urlKey } from '../../frontier/canonical-url.ts'
import type { Scope } from '../../frontier/scope.ts'
import type { AnswerFacts, SettledTask } from '../../model/cluster-messages.ts'
import type { Events } from '../../model/events.ts'
import type { Job } from '../../model/job.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { CommitResult, Discovery, Settlement } from '../../ports/store.ts'
import { taskKey } from './in-flight.ts'
import { discoveryOf, type SettleContext, settlementOf } from './settle.ts'

/** Of a job, what its settlements go by. */
export interface SettlingJob extends Pick<Job, 'kind' | 'spec'> {
  scope: Scope
  canonical: { query: Job['spec']['query'] }
  /** Whether what was found becomes tasks: not where the job is over anyway. */
  isOpen: boolean
  /** For log lines. */
  traceparent?: string | null
}

export interface Reported {
  report: TaskReport
  task: LeasedTask
  job: SettlingJob
  /** The page was read after its request had been told of. */
  wasRead?: boolean
}

export const settlementFor = (
  { report, task, job }: Reported,
  context: Omit<SettleContext, 'policy'>,
): Settlement => settlementOf(report, task, { ...context, policy: task.overrides ?? job.spec.policy })

export function discoveriesOf({ report, task, job }: Reported): Discovery[] {
  if (!job.isOpen) return []
  const { spec, kind } = job
  const found = discoveryOf(report, task, {
    order: spec.order,
    fetchDepth: kind === 'map' ? (spec.depth ?? 1) - 1 : Number.POSITIVE_INFINITY,
    sitemapKey: raw => {
      const url = canonicalUrl(raw, job.canonical)
      return url && job.scope.allowsHost(hostOf(url)).ok ? { url, host: hostOf(url), key: urlKey(url) } : null
    },
  })
  return found ? [found] : []
}

/** Of a request that ended, what is counted. */
export const fetchedPage = (
  { host, way, trace }: Pick<LeasedTask, 'host' | 'way' | 'trace'>,
  { startedAt, endedAt, bytes }: TaskReport,
): Events['page.fetched'] => ({
  host,
  way,
  bytes,
  ms: endedAt - startedAt,
  traceparent: trace?.traceparent,
})

/** One of them that is traced, if any is. */
export const tracedOf = (group: ReadonlyArray<{ task: LeasedTask }>): string | undefined =>
  group.find(({ task }) => task.trace)?.task.trace?.traceparent

/** How it went, as the store saw it. */
export function outcomesOf(
  reported: ReadonlyArray<Omit<Reported, 'job'> & { settlement: Settlement }>,
  result: CommitResult,
): SettledTask[] {
  const lost = new Set(result.lost.map(taskKey))
  const duplicates = new Set(result.duplicates.map(taskKey))
  return reported.map(({ report, task, settlement, wasRead }) => ({
    ...factsOf(report),
    ...{ jobId: task.jobId, n: task.n, attempt: task.attempt, url: task.url },
    bytes: report.bytes,
    state: settlement.state,
    reason: settlement.reason,
    message: settlement.message,
    notBefore: settlement.notBefore,
    isDuplicate: duplicates.has(taskKey(task)),
    isLost: lost.has(taskKey(task)),
    ...(wasRead && { wasRead: true as const }),
  }))
}

export function factsOf({
  startedAt,
  sentAt,
  lastSentAt,
  endedAt,
  failure,
  finalUrl,
  rendering,
  identity,
}: TaskReport): AnswerFacts {
  return {
    ...{ startedAt, sentAt, endedAt, failure, finalUrl },
    ...(lastSentAt !== undefined && { lastSentAt }),
    ...(rendering !== undefined && { rendering }),
    ...(identity !== undefined && { identity }),
  }
}
