// The group commit: reports become settlements, discoveries and host states, written in one transaction.
import { jobVerdict } from '../dispatch/job-breaker.ts'
import { spentIn } from '../extract/llm/token-budget.ts'
import { canonicalUrl, hostOf, urlKey } from '../frontier/canonical-url.ts'
import type { FailureCode } from '../model/failures.ts'
import type { TaskReport } from '../model/lane.ts'
import type { CommitResult, Discovery, Settlement } from '../ports/store.ts'
import { learnWay } from './choose-way.ts'
import { type Desk, type HeldTask, heldKey } from './desk.ts'
import { meetHost } from './meet-host.ts'
import type { RunningJob } from './running-job.ts'
import { discoveryOf, parkedHost, settlementOf } from './settle.ts'

interface Entry {
  report: TaskReport
  held: HeldTask
  job: RunningJob
  settlement: Settlement
}

export async function commitReports(desk: Desk, reports: TaskReport[]): Promise<void> {
  const taken = new Set<HeldTask>()
  const entries = reports.flatMap(report => entryOf(desk, report, taken))
  const startedAt = desk.clock.now()
  for (const entry of entries) tellHost(desk, entry)
  const discovered = entries.flatMap(entry => discoveriesOf(entry))
  const group = {
    owner: desk.settings.owner,
    settlements: entries.map(entry => entry.settlement),
    discovered,
    hosts: desk.hosts.takeDirty(),
  }
  if (group.settlements.length + group.hosts.length === 0) return
  for (const job of new Set(entries.map(entry => entry.job))) await countTokens(desk, job)
  desk.mark('worker.after_store_before_commit')
  const result = await desk.store.commit(group).catch(error => {
    desk.hosts.notKept(group.hosts)
    throw error
  })
  desk.mark('worker.after_commit')
  for (const { host } of result.added) await meetHost(desk, host)
  applyResult(desk, entries, result)
  announce(desk, entries, discovered, desk.clock.now() - startedAt)
}

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
  const job = desk.jobs.get(report.jobId)
  if (!held || !job || held.task.attempt !== report.attempt || taken.has(held)) return []
  taken.add(held)
  const { clock, random, settings } = desk
  const context = {
    now: clock.now(),
    random,
    worker: settings.owner,
    policy: job.job.spec.policy,
    maxRetryAfterMs: settings.maxRetryAfterMs,
  }
  return [{ report, held, job, settlement: settlementOf(report, held.task, context) }]
}

/** The host learns how it went: its slot is free again, and it may be ill or in need of rest. */
function tellHost(desk: Desk, { report, held }: Entry): void {
  if (!held.slot) return
  held.slot = false
  const now = desk.clock.now()
  const { sentAt, lastSentAt = sentAt, endedAt } = report
  const first = held.task.host
  const host = askedLast(report, held)
  // A row without a URL waits at no site, so there is none to be ill.
  const trouble = host.startsWith('~') ? null : troubleOf(report)
  const last = { startedAt: lastSentAt, endedAt, ...trouble }
  desk.hosts.finished(first, host === first ? last : { startedAt: sentAt, endedAt }, now)
  if (host !== first) desk.hosts.extraEnded(host, last, now)
  if (trouble?.failure === 'host.throttled')
    desk.emit('host.throttled', { host, untilMs: now + (trouble.retryAfterMs ?? 0) })
}

/** What a host is to know of a failure; a wait that we asked for ourselves is not its doing. */
function troubleOf({ failure }: TaskReport): { failure: FailureCode; retryAfterMs?: number } | null {
  if (!failure || failure.code === 'host.not-now') return null
  const retryAfterMs = Number(failure.details?.retryAfterMs) || undefined
  return { failure: failure.code, ...(retryAfterMs && { retryAfterMs }) }
}

/** After a redirect it was another host that answered, or did not. */
const askedLast = (report: TaskReport, { task }: HeldTask): string =>
  report.finalUrl === task.url || report.finalUrl === '' ? task.host : hostOf(report.finalUrl)

function discoveriesOf({ report, held, job }: Entry): Discovery[] {
  if (job.budgetReached || job.cancelled) return []
  const { spec, kind } = job.job
  const found = discoveryOf(report, held.task, {
    order: spec.order,
    fetchDepth: kind === 'map' ? (spec.depth ?? 1) - 1 : Number.POSITIVE_INFINITY,
    sitemapKey: raw => {
      const url = canonicalUrl(raw, job.canonical)
      return url && job.scope.allowsHost(hostOf(url)).ok ? { url, host: hostOf(url), key: urlKey(url) } : null
    },
  })
  return found ? [found] : []
}

function applyResult(desk: Desk, entries: Entry[], result: CommitResult): void {
  const lost = new Set(result.lost.map(heldKey))
  const duplicates = new Map(result.duplicates.map(duplicate => [heldKey(duplicate), duplicate]))
  for (const entry of entries) {
    const key = heldKey(entry.report)
    desk.held.delete(key)
    entry.job.inFlight--
    if (!lost.has(key)) countOne(desk, entry, duplicates.has(key))
  }
  for (const { jobId, host, count } of result.added) {
    const job = desk.jobs.get(jobId)
    if (job) job.open += count
    if (host !== parkedHost) desk.dispatcher.addWork(jobId, host, count)
  }
}

function countOne(desk: Desk, { settlement, held, job, report }: Entry, isDuplicate: boolean): void {
  learnWay(desk, job, held.task, report)
  if (settlement.state === 'pending') {
    if (settlement.notBefore === 0) desk.dispatcher.addWork(job.id, held.task.host, 1)
  } else {
    job.open--
    if (settlement.state === 'succeeded' && !isDuplicate && held.task.kind === 'page') job.pages++
  }
  const { reason } = settlement
  if (reason === 'storage.full' || reason === 'storage.failed') job.storageTrouble = reason
  const verdict = jobVerdict(reason)
  if (verdict !== null) job.breaker.record(verdict, desk.clock.now())
}

function announce(desk: Desk, entries: Entry[], discovered: Discovery[], ms: number): void {
  for (const { settlement, held, report } of entries) {
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
    })
  }
  const records = entries.reduce((sum, entry) => sum + entry.settlement.records.length, 0)
  const found = discovered.reduce((sum, discovery) => sum + discovery.tasks.length, 0)
  desk.emit('group.committed', { settlements: entries.length, records, discovered: found, ms })
}
