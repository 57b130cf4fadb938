// What the coordinator learns from a finished task: its host has a free slot, its job has new counts, there may be new tasks.

import type { RequestResult } from '../../dispatch/host-table.ts'
import { hostOf } from '../../frontier/canonical-url.ts'
import type {
  AddedWork,
  AnsweredTask,
  AnswerFacts,
  SettledGroup,
  SettledTask,
} from '../../model/cluster-messages.ts'
import { learnWay, type RenderContext } from './choose-way.ts'
import type { CoordinatorContext } from './context.ts'
import { noteUnanswered } from './give-up-hosts.ts'
import { type InFlightTask, taskKey } from './in-flight.ts'
import { learnFromParse, learnFromResponse } from './job-identities.ts'
import { type HostStateContext, loadHostStates } from './load-host-state.ts'
import { parkedHost } from './settle.ts'

/** What adding new tasks to the running jobs needs. */
export type NewWorkContext = HostStateContext &
  Pick<CoordinatorContext, 'jobs' | 'dispatcher' | 'clock' | 'shards'>

/** What learning from a finished task needs. */
export type OutcomeContext = NewWorkContext &
  RenderContext &
  Pick<CoordinatorContext, 'inFlight' | 'emit' | 'settings' | 'workers'>

/** Frees the slot of the host and applies the result to its breaker and its rate. */
export function updateHost(context: OutcomeContext, held: InFlightTask, facts: AnswerFacts): void {
  if (!held.slot) return
  held.slot = false
  const blamesProxy = learnFromResponse(context, held, facts)
  const now = context.clock.now()
  const { sentAt, lastSentAt = sentAt, endedAt } = facts
  const first = held.task.host
  const host = askedLast(facts, held)
  // A row without a URL has no host.
  const trouble = host.startsWith('~') ? null : troubleOf(facts)
  const last: RequestResult = { startedAt: lastSentAt, endedAt, page: taskKey(held.task), ...trouble }
  if (blamesProxy) last.isUnknown = true
  context.hosts.finished(first, host === first ? last : { startedAt: sentAt, endedAt }, now)
  if (host !== first) updateOtherHost(context, host, last)
  if (trouble?.failure === 'host.throttled')
    context.emit('host.throttled', { host, untilMs: now + (trouble.retryAfterMs ?? 0) })
}

/** Another coordinator may lead the host. */
function updateOtherHost(context: OutcomeContext, host: string, result: RequestResult): void {
  if (context.shards.leads(host)) context.hosts.extraEnded(host, result, context.clock.now())
  else context.shards.requestEnded(host, result)
}

/** What a failure says about the host. Our own waits and cancelled jobs say nothing. */
function troubleOf({ failure }: AnswerFacts): Omit<RequestResult, 'startedAt' | 'endedAt'> | null {
  if (!failure) return null
  if (failure.code === 'host.not-now' || failure.code === 'job.cancelled') return { isUnknown: true }
  const retryAfterMs = Number(failure.details?.retryAfterMs) || undefined
  return { failure: failure.code, ...(retryAfterMs && { retryAfterMs }) }
}

/** After a redirect, another host answered, or did not. */
const askedLast = ({ finalUrl }: AnswerFacts, { task }: InFlightTask): string =>
  finalUrl === task.url || finalUrl === '' ? task.host : hostOf(finalUrl)

/** Counts an outcome that the store has committed. */
export function countOutcome(context: OutcomeContext, held: InFlightTask, outcome: SettledTask): void {
  const job = context.jobs.get(outcome.jobId)
  context.inFlight.remove(held)
  if (!job) return
  if (context.workers.leavesOrphan(context.settings, held, outcome)) job.suspectOrphans()
  // Another worker brought the page.
  if (outcome.isLost) job.usePageShare()
  if (outcome.isLost) return
  learnWay(context, job, held.task, outcome)
  const isPage = outcome.state === 'succeeded' && !outcome.isDuplicate && held.task.kind === 'page'
  const { state, reason, notBefore } = outcome
  job.settled({ state, reason, isPage, ...costOf(held, outcome) }, context.clock.now())
  if (state === 'pending' && notBefore === 0) context.dispatcher.addWork(job.id, held.task.host, 1)
  noteUnanswered(job, held.task, reason)
}

const costOf = ({ task }: InFlightTask, { bytes, startedAt, endedAt }: SettledTask) => ({
  bytes,
  browserMs: task.way === 'browser' ? endedAt - startedAt : 0,
})

/** For a task of another shard, in a job whose home is here. */
function countElsewhere(context: OutcomeContext, { jobId, state, isLost }: SettledTask): void {
  const job = context.jobs.get(jobId)
  if (job && !isLost && state !== 'pending') job.tasksEnded(1)
}

function noteOrphan(context: OutcomeContext, { jobId, isLost }: SettledTask): void {
  if (isLost) context.jobs.get(jobId)?.suspectOrphans()
}

/** `passesOn`: the other coordinators have not heard of this work yet. */
export async function acceptWork(
  context: NewWorkContext,
  added: readonly AddedWork[],
  { passesOn = true } = {},
): Promise<void> {
  for (const { jobId, count } of added) context.jobs.get(jobId)?.tasksAdded(count, context.clock.now())
  const own = context.shards.ownWork(added, passesOn)
  await loadHostStates(
    context,
    own.map(({ host }) => host),
  )
  for (const { jobId, host, count } of own)
    if (host !== parkedHost) context.dispatcher.addWork(jobId, host, count)
}

/** The host has a free slot, though the page is not parsed yet. */
export function learnAnswered(context: OutcomeContext, tasks: readonly AnsweredTask[]): void {
  for (const answered of tasks) {
    const held = context.inFlight.get(answered)
    if (held?.task.attempt === answered.attempt) updateHost(context, held, answered)
  }
}

/** A parsed page may also say something about the host, for example that it shows a wall. */
function reportReading(context: OutcomeContext, held: InFlightTask, outcome: SettledTask): void {
  const trouble = troubleOf(outcome)
  if (held.slot || trouble === null || outcome.isLost) return
  learnFromParse(context, held, outcome)
  const { sentAt, lastSentAt = sentAt, endedAt } = outcome
  const result = { startedAt: lastSentAt, endedAt, page: taskKey(held.task), ...trouble }
  updateOtherHost(context, askedLast(outcome, held), result)
}

/** Applies a group that another process committed. A task that is no longer in flight here was counted before, or dropped. */
export async function learnSettled(context: OutcomeContext, { tasks, added }: SettledGroup): Promise<void> {
  await acceptWork(context, added, { passesOn: false })
  for (const outcome of tasks) {
    const held = context.inFlight.get(outcome)
    if (held?.task.attempt !== outcome.attempt) {
      noteOrphan(context, outcome)
      if (outcome.isElsewhere) countElsewhere(context, outcome)
      continue
    }
    if (outcome.wasRead) reportReading(context, held, outcome)
    updateHost(context, held, outcome)
    countOutcome(context, held, outcome)
  }
}
