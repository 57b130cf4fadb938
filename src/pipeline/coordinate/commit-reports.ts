// The group commit of one process: reports become settlements, discoveries and host states, written in one transaction.

import { spentIn } from '../../extract/llm/token-budget.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { CommitResult, Discovery, Settlement } from '../../ports/store.ts'
import type { CoordinatorContext } from './context.ts'
import type { InFlightTask } from './in-flight.ts'
import { acceptWork, countOutcome, type OutcomeContext, updateHost } from './learn-outcomes.ts'
import type { RunningJob } from './running-job.ts'
import { noticeOf } from './settle.ts'
import { discoveriesOf, fetchedPage, outcomesOf, settlementFor, tracedOf } from './settle-reports.ts'
import { emitCommitSpans } from './spans.ts'

/** What a group commit needs. */
export type CommitContext = OutcomeContext & Pick<CoordinatorContext, 'random' | 'mark' | 'stopping'>

interface Entry {
  report: TaskReport
  task: LeasedTask
  held: InFlightTask
  running: RunningJob
  settlement: Settlement
}

export async function commitReports(context: CommitContext, reports: TaskReport[]): Promise<void> {
  const taken = new Set<InFlightTask>()
  const entries = reports.flatMap(report => entryOf(context, report, taken))
  const startedAt = context.clock.now()
  for (const { held, report } of entries) updateHost(context, held, report)
  const discovered = entries.flatMap(entry => discoveriesOf({ ...entry, job: settlingJob(entry.running) }))
  const group = {
    owner: context.settings.owner,
    settlements: entries.map(entry => entry.settlement),
    discovered,
    // The last word before the end is told whole.
    hosts: context.hosts.takeDirty(
      context.jobs.size > 0 && !context.stopping.aborted ? startedAt : undefined,
    ),
  }
  if (group.settlements.length + group.hosts.length === 0) return
  for (const job of new Set(entries.map(entry => entry.running))) await countTokens(context, job)
  context.mark('worker.after_store_before_commit')
  const result = await context.store.commit(group).catch(error => {
    context.hosts.notKept(group.hosts)
    throw error
  })
  context.mark('worker.after_commit')
  applyResult(context, entries, result)
  await acceptWork(context, result.added)
  announce(context, entries, discovered, context.clock.now() - startedAt)
  if (context.settings.traceTasks)
    emitCommitSpans(context.emit, entries.map(committed), { startedAt, endedAt: context.clock.now() })
}

const committed = ({ task, settlement, running }: Entry) => ({
  task,
  settlement,
  above: running.job.traceparent,
})

/** With what is set aside for questions under way: a kill must not make them free. */
async function countTokens({ store }: CommitContext, job: RunningJob): Promise<void> {
  const { llmLedger } = job.lane
  const spent = llmLedger ? spentIn(llmLedger) : job.llmCounted
  if (spent === job.llmCounted) return
  await store.jobs.spend(job.id, spent - job.llmCounted)
  job.llmCounted = spent
}

/** One report for each task: a lane that died may have reported what was also given up for lost. */
function entryOf(context: CommitContext, report: TaskReport, taken: Set<InFlightTask>): Entry[] {
  const held = context.inFlight.get(report)
  const running = context.jobs.get(report.jobId)
  if (!held || !running || held.task.attempt !== report.attempt || taken.has(held)) return []
  taken.add(held)
  const { clock, random, settings } = context
  const settling = {
    now: clock.now(),
    random,
    worker: settings.owner,
    maxRetryAfterMs: settings.maxRetryAfterMs,
  }
  const { task } = held
  const settlement = settlementFor({ report, task, job: settlingJob(running) }, settling)
  return [{ report, task, held, running, settlement }]
}

const settlingJob = (running: RunningJob) => ({
  kind: running.job.kind,
  spec: running.job.spec,
  scope: running.scope,
  canonical: running.canonical,
  isOpen: !(running.budgetReached || running.cancelled),
})

function applyResult(context: CommitContext, entries: Entry[], result: CommitResult): void {
  for (const [index, outcome] of outcomesOf(entries, result).entries())
    countOutcome(context, entries[index]!.held, outcome)
}

function announce(context: CommitContext, entries: Entry[], discovered: Discovery[], ms: number): void {
  for (const { settlement, held, report, running } of entries) {
    const { state, reason, message, jobId, n } = settlement
    context.emit('task.settled', {
      jobId,
      n,
      url: held.task.url,
      state,
      reason,
      message,
      durationMs: report.endedAt - report.startedAt,
      attempt: settlement.attempt,
      proxy: settlement.history.proxy,
      records: settlement.records,
      traceparent: held.task.trace?.traceparent ?? running.job.traceparent,
    })
    const notice = noticeOf(report)
    if (notice) context.emit('notice.given', { jobId, message: notice })
    context.emit('page.fetched', fetchedPage(held.task, report))
    context.emit('page.judged', { way: held.task.way, outcome: reason })
  }
  const records = entries.reduce((sum, entry) => sum + entry.settlement.records.length, 0)
  const found = discovered.reduce((sum, discovery) => sum + discovery.tasks.length, 0)
  const traceparent = tracedOf(entries)
  context.emit('group.committed', {
    settlements: entries.length,
    records,
    discovered: found,
    ms,
    traceparent,
  })
}
