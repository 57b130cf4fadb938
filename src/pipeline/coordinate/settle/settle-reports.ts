// Turns reports into settlements and discoveries, and writes a group of them in one commit. The coordinator, workers and processors
// use this.
import { canonicalUrl, hostOf, urlKey } from '../../../frontier/canonical-url.ts'
import type { Scope } from '../../../frontier/scope.ts'
import type { AnswerFacts, SettledGroup, SettledTask } from '../../../model/cluster-messages.ts'
import type { Emit, Events } from '../../../model/events.ts'
import type { HostState } from '../../../model/host.ts'
import type { Job } from '../../../model/job.ts'
import type { TaskReport } from '../../../model/lane.ts'
import type { LeasedTask } from '../../../model/task.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CommitResult, Discovery, Settlement, Store } from '../../../ports/store.ts'
import { taskKey } from '../in-flight.ts'
import { emitCommitSpans } from '../spans.ts'
import { discoveryOf, noticeOf, type SettleContext, settlementOf } from './settle.ts'

/** The part of a job that is needed to settle its reports. */
export interface SettlingJob extends Pick<Job, 'kind' | 'spec'> {
  scope: Scope
  canonical: { query: Job['spec']['query'] }
  /** Whether found links become tasks. False if the job is ending. */
  isOpen: boolean
  /** The span of the job, for log lines and traces. */
  traceparent?: string | null
}

export interface Reported {
  report: TaskReport
  task: LeasedTask
  job: SettlingJob
  /** True if the end of the request was reported before the page was parsed. */
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

/** The event for the metrics of an ended request. */
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

/** Dependencies for committing a group. */
interface GroupContext {
  store: Pick<Store, 'commit'>
  clock: Clock
  random: () => number
  emit: Emit
  mark: (point: string) => void
  /** The name of this worker, stored with each attempt. */
  worker: string
}

interface ReportGroup {
  /** The owner of the leases. */
  owner: string
  reported: readonly Reported[]
  hosts?: HostState[]
}

interface CommittedGroup extends SettledGroup {
  entries: ReadonlyArray<Reported & { settlement: Settlement }>
  /** Tasks that the reports proposed; some may be duplicates. */
  discovered: number
  startedAt: number
}

export async function commitGroup(
  context: GroupContext,
  { owner, reported, hosts = [] }: ReportGroup,
): Promise<CommittedGroup> {
  const { clock, random, worker } = context
  const startedAt = clock.now()
  const settling = { now: startedAt, random, worker }
  const entries = reported.map(one => ({ ...one, settlement: settlementFor(one, settling) }))
  const settlements = entries.map(({ settlement }) => settlement)
  const discovered = reported.flatMap(discoveriesOf)
  context.mark('worker.after_store_before_commit')
  const result = await context.store.commit({ owner, settlements, discovered, hosts })
  return {
    ...{ entries, startedAt, added: result.added, tasks: outcomesOf(entries, result) },
    discovered: discovered.reduce((sum, { tasks }) => sum + tasks.length, 0),
  }
}

/** Emits the events of a committed group. Logs, metrics and traces are made from them. */
export function announceGroup({ emit, clock }: GroupContext, group: CommittedGroup): void {
  const { entries, tasks, discovered, startedAt } = group
  for (const [index, entry] of entries.entries()) announceTask(emit, entry, tasks[index]!)
  const endedAt = clock.now()
  const traceparent = entries.find(({ task }) => task.trace)?.task.trace?.traceparent
  if (traceparent)
    emitCommitSpans(
      emit,
      entries.map(({ task, settlement, job }) => ({ task, settlement, above: job.traceparent ?? null })),
      { startedAt, endedAt },
    )
  const records = entries.reduce((sum, { settlement }) => sum + settlement.records.length, 0)
  const ms = endedAt - startedAt
  emit('group.committed', { settlements: entries.length, records, discovered, ms, traceparent })
}

function announceTask(
  emit: Emit,
  { report, task, job, settlement }: Reported & { settlement: Settlement },
  { jobId, n, url, state, reason, message, isLost }: SettledTask,
): void {
  if (isLost) {
    emit('notice.given', { jobId, message: `lease_lost: ${url} was taken over by another worker` })
    return
  }
  emit('task.settled', {
    ...{ jobId, n, url, state, reason, message },
    durationMs: report.endedAt - report.startedAt,
    attempt: settlement.attempt,
    proxy: settlement.history.proxy,
    records: settlement.records,
    requestedUrl: report.finalUrl,
    traceparent: task.trace?.traceparent ?? job.traceparent ?? null,
  })
  const notice = noticeOf(report)
  if (notice) emit('notice.given', { jobId, message: notice })
  emit('page.judged', { way: task.way, outcome: reason })
}

/** The outcome of each task after the commit. The store may have turned a success into a duplicate, or dropped it as lost. */
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
