// The group commit of one process: reports become settlements, discoveries and host states, written in one transaction.

import { spentIn } from '../../extract/llm/token-budget.ts'
import type { TaskReport } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { CommitResult, Discovery, Settlement } from '../../ports/store.ts'
import { type Desk, type HeldTask, heldKey } from './desk.ts'
import { acceptWork, countOutcome, updateHost } from './learn-outcomes.ts'
import type { RunningJob } from './running-job.ts'
import { noticeOf } from './settle.ts'
import { discoveriesOf, fetchedPage, outcomesOf, settlementFor, tracedOf } from './settle-reports.ts'
import { emitCommitSpans } from './spans.ts'

interface Entry {
  report: TaskReport
  task: LeasedTask
  held: HeldTask
  running: RunningJob
  settlement: Settlement
}

export async function commitReports(desk: Desk, reports: TaskReport[]): Promise<void> {
  const taken = new Set<HeldTask>()
  const entries = reports.flatMap(report => entryOf(desk, report, taken))
  const startedAt = desk.clock.now()
  for (const { held, report } of entries) updateHost(desk, held, report)
  const discovered = entries.flatMap(entry => discoveriesOf({ ...entry, job: settlingJob(entry.running) }))
  const group = {
    owner: desk.settings.owner,
    settlements: entries.map(entry => entry.settlement),
    discovered,
    // The last word before the end is told whole.
    hosts: desk.hosts.takeDirty(desk.jobs.size > 0 && !desk.stopping.aborted ? startedAt : undefined),
  }
  if (group.settlements.length + group.hosts.length === 0) return
  for (const job of new Set(entries.map(entry => entry.running))) await countTokens(desk, job)
  desk.mark('worker.after_store_before_commit')
  const result = await desk.store.commit(group).catch(error => {
    desk.hosts.notKept(group.hosts)
    throw error
  })
  desk.mark('worker.after_commit')
  applyResult(desk, entries, result)
  await acceptWork(desk, result.added)
  announce(desk, entries, discovered, desk.clock.now() - startedAt)
  if (desk.settings.traceTasks)
    emitCommitSpans(desk.emit, entries.map(committed), { startedAt, endedAt: desk.clock.now() })
}

const committed = ({ task, settlement, running }: Entry) => ({
  task,
  settlement,
  above: running.job.traceparent,
})

/** With what is set aside for questions under way: a kill must not make them free. */
async function countTokens({ store }: Desk, job: RunningJob): Promise<void> {
  const { llmLedger } = job.lane
  const spent = llmLedger ? spentIn(llmLedger) : job.llmCounted
  if (spent === job.llmCounted) return
  await store.jobs.spend(job.id, spent - job.llmCounted)
  job.llmCounted = spent
}

/** One report for each task: a lane that died may have reported what was also given up for lost. */
function entryOf(desk: Desk, report: TaskReport, taken: Set<HeldTask>): Entry[] {
  const held = desk.held.get(heldKey(report))
  const running = desk.jobs.get(report.jobId)
  if (!held || !running || held.task.attempt !== report.attempt || taken.has(held)) return []
  taken.add(held)
  const { clock, random, settings } = desk
  const context = {
    now: clock.now(),
    random,
    worker: settings.owner,
    maxRetryAfterMs: settings.maxRetryAfterMs,
  }
  const { task } = held
  const settlement = settlementFor({ report, task, job: settlingJob(running) }, context)
  return [{ report, task, held, running, settlement }]
}

const settlingJob = (running: RunningJob) => ({
  kind: running.job.kind,
  spec: running.job.spec,
  scope: running.scope,
  canonical: running.canonical,
  isOpen: !(running.budgetReached || running.cancelled),
})

function applyResult(desk: Desk, entries: Entry[], result: CommitResult): void {
  for (const [index, outcome] of outcomesOf(entries, result).entries())
    countOutcome(desk, entries[index]!.held, outcome)
}

function announce(desk: Desk, entries: Entry[], discovered: Discovery[], ms: number): void {
  for (const { settlement, held, report, running } of entries) {
    const { state, reason, message, jobId, n } = settlement
    desk.emit('task.settled', {
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
    if (notice) desk.emit('notice.given', { jobId, message: notice })
    desk.emit('page.fetched', fetchedPage(held.task, report))
    desk.emit('page.judged', { way: held.task.way, outcome: reason })
  }
  const records = entries.reduce((sum, entry) => sum + entry.settlement.records.length, 0)
  const found = discovered.reduce((sum, discovery) => sum + discovery.tasks.length, 0)
  const traceparent = tracedOf(entries)
  desk.emit('group.committed', { settlements: entries.length, records, discovered: found, ms, traceparent })
}
