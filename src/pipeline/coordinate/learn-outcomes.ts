// What the coordinator learns from a task that ended: its host's place is free, its job is further, there may be new work.

import type { RequestResult } from '../../dispatch/host-table.ts'
import { jobVerdict } from '../../dispatch/job-breaker.ts'
import { hostOf } from '../../frontier/canonical-url.ts'
import { isIn } from '../../lib/shard-of.ts'
import type {
  AddedWork,
  AnsweredTask,
  AnswerFacts,
  SettledGroup,
  SettledTask,
} from '../../model/hand-over.ts'
import { learnWay } from './choose-way.ts'
import { type Desk, type HeldTask, heldKey } from './desk.ts'
import { noteUnanswered } from './give-up-hosts.ts'
import { learnFromParse, learnFromResponse } from './job-identities.ts'
import { loadHostStates } from './load-host-state.ts'
import { parkedHost } from './settle.ts'
import { keepOwn } from './shards.ts'

/** The host learns how it went: its slot is free again, and it may be ill or in need of rest. */
export function updateHost(desk: Desk, held: HeldTask, facts: AnswerFacts): void {
  if (!held.slot) return
  held.slot = false
  const blamesProxy = learnFromResponse(desk, held, facts)
  const now = desk.clock.now()
  const { sentAt, lastSentAt = sentAt, endedAt } = facts
  const first = held.task.host
  const host = askedLast(facts, held)
  // A row without a URL waits at no site, so there is none to be ill.
  const trouble = host.startsWith('~') ? null : troubleOf(facts)
  const last: RequestResult = { startedAt: lastSentAt, endedAt, page: heldKey(held.task), ...trouble }
  if (blamesProxy) last.isUnknown = true
  desk.hosts.finished(first, host === first ? last : { startedAt: sentAt, endedAt }, now)
  if (host !== first) updateOtherHost(desk, host, last)
  if (trouble?.failure === 'host.throttled')
    desk.emit('host.throttled', { host, untilMs: now + (trouble.retryAfterMs ?? 0) })
}

/** It may be another coordinator that leads it. */
function updateOtherHost(desk: Desk, host: string, result: RequestResult): void {
  if (isIn(desk.shard, host)) desk.hosts.extraEnded(host, result, desk.clock.now())
  else desk.others?.ended(host, result)
}

/** What a host is to know of a failure. Our own waits and cancelled jobs say nothing about it. */
function troubleOf({ failure }: AnswerFacts): Omit<RequestResult, 'startedAt' | 'endedAt'> | null {
  if (!failure) return null
  if (failure.code === 'host.not-now' || failure.code === 'job.cancelled') return { isUnknown: true }
  const retryAfterMs = Number(failure.details?.retryAfterMs) || undefined
  return { failure: failure.code, ...(retryAfterMs && { retryAfterMs }) }
}

/** After a redirect it was another host that answered, or did not. */
const askedLast = ({ finalUrl }: AnswerFacts, { task }: HeldTask): string =>
  finalUrl === task.url || finalUrl === '' ? task.host : hostOf(finalUrl)

/** The job's counts, once the store has it. */
export function countOutcome(desk: Desk, held: HeldTask, outcome: SettledTask): void {
  const job = desk.jobs.get(outcome.jobId)
  desk.held.delete(heldKey(outcome))
  if (!job) return
  job.inFlight--
  if (mayLeaveOrphans(desk, held, outcome)) job.mayHaveOrphans = true
  if (outcome.isLost) {
    // Somebody else brought the page.
    if (job.share !== null) job.share--
    return
  }
  learnWay(desk, job, held.task, outcome)
  const isPage = outcome.state === 'succeeded' && !outcome.isDuplicate && held.task.kind === 'page'
  job.budget.spend({ pages: Number(isPage), ...costOf(held, outcome) })
  if (outcome.state === 'pending') {
    if (outcome.notBefore === 0) desk.dispatcher.addWork(job.id, held.task.host, 1)
  } else {
    job.open--
    if (isPage) job.pages++
    if (isPage && job.share !== null) job.share--
    job.waste.record(outcome.reason)
  }
  const { reason } = outcome
  noteUnanswered(job, held.task, reason)
  if (reason === 'storage.full' || reason === 'storage.failed') job.storageTrouble = reason
  const verdict = outcome.state === 'pending' ? null : jobVerdict(reason)
  if (verdict !== null) job.breaker.record(verdict, desk.clock.now())
}

/** Longer than a lease means that another process may have begun with it before, and kept pages that nobody will read. */
const mayLeaveOrphans = ({ handOver, settings }: Desk, { sentAt }: HeldTask, outcome: SettledTask): boolean =>
  handOver !== undefined &&
  (outcome.isLost ||
    outcome.reason === 'storage.failed' ||
    (sentAt !== undefined && outcome.endedAt - sentAt >= settings.leaseMs))

const costOf = ({ task }: HeldTask, { bytes, startedAt, endedAt }: SettledTask) => ({
  bytes,
  browserMs: task.way === 'browser' ? endedAt - startedAt : 0,
})

/** A task of another coordinator's, in a job that is ended here. */
function countElsewhere(desk: Desk, { jobId, state, isLost }: SettledTask): void {
  const job = desk.jobs.get(jobId)
  if (job && !isLost && state !== 'pending') job.open--
}

function noteOrphan(desk: Desk, { jobId, isLost }: SettledTask): void {
  const job = desk.jobs.get(jobId)
  if (job && isLost) job.mayHaveOrphans = true
}

/** `passesOn` where nobody else was told: what other coordinators lead is theirs to hear of. */
export async function acceptWork(
  desk: Desk,
  added: readonly AddedWork[],
  { passesOn = true } = {},
): Promise<void> {
  for (const { jobId, count } of added) {
    const job = desk.jobs.get(jobId)
    if (!job) continue
    job.open += count
    job.fedAt = desk.clock.now()
  }
  const own = keepOwn(desk, added, passesOn)
  await loadHostStates(
    desk,
    own.map(({ host }) => host),
  )
  for (const { jobId, host, count } of own)
    if (host !== parkedHost) desk.dispatcher.addWork(jobId, host, count)
}

/** Its host may be asked again, though the page is not read yet. */
export function learnAnswered(desk: Desk, tasks: readonly AnsweredTask[]): void {
  for (const answered of tasks) {
    const held = desk.held.get(heldKey(answered))
    if (held?.task.attempt === answered.attempt) updateHost(desk, held, answered)
  }
}

/** What the page turned out to be may be the host's doing as well, like a wall. */
function reportReading(desk: Desk, held: HeldTask, outcome: SettledTask): void {
  const trouble = troubleOf(outcome)
  if (held.slot || trouble === null || outcome.isLost) return
  learnFromParse(desk, held, outcome)
  const { sentAt, lastSentAt = sentAt, endedAt } = outcome
  const result = { startedAt: lastSentAt, endedAt, page: heldKey(held.task), ...trouble }
  updateOtherHost(desk, askedLast(outcome, held), result)
}

/** What another process wrote down. A task that is not ours any more was heard of already, or given up. */
export async function learnSettled(desk: Desk, { tasks, added }: SettledGroup): Promise<void> {
  await acceptWork(desk, added, { passesOn: false })
  for (const outcome of tasks) {
    const held = desk.held.get(heldKey(outcome))
    if (held?.task.attempt !== outcome.attempt) {
      noteOrphan(desk, outcome)
      if (outcome.isElsewhere) countElsewhere(desk, outcome)
      continue
    }
    if (outcome.wasRead) reportReading(desk, held, outcome)
    updateHost(desk, held, outcome)
    countOutcome(desk, held, outcome)
  }
}
