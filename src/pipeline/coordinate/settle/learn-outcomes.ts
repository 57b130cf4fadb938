// Applies the outcome of a finished task in memory: updates its host, counts the outcome for its job, adds new tasks.

import type { RequestResult } from '../../../dispatch/host-table.ts'
import { hostOf } from '../../../frontier/canonical-url.ts'
import type {
  AddedWork,
  AnsweredTask,
  AnswerFacts,
  SettledGroup,
  SettledTask,
} from '../../../model/cluster-messages.ts'
import { learnWay, type RenderContext } from '../choose-fetch-mode.ts'
import type { CoordinatorContext } from '../context.ts'
import { type HostStateContext, loadHostStates } from '../hosts/load-host-state.ts'
import { noteUnanswered } from '../hosts/silent-hosts.ts'
import { type InFlightTask, taskKey } from '../in-flight.ts'
import { learnFromParse, learnFromResponse } from '../job-identities.ts'
import { parkedHost } from './settle.ts'

/** Dependencies for adding new tasks to the running jobs. */
export type NewWorkContext = HostStateContext &
  Pick<CoordinatorContext, 'jobs' | 'dispatcher' | 'clock' | 'shards'>

/** Dependencies for learning from a finished task. */
export type OutcomeContext = NewWorkContext &
  RenderContext &
  Pick<CoordinatorContext, 'inFlight' | 'emit' | 'settings' | 'workers'>

/** Tells the host table that the request of the task has ended. The result updates breaker and rate of the host. */
export function updateHost(context: OutcomeContext, held: InFlightTask, facts: AnswerFacts): void {
  if (!held.slot) return
  held.slot = false
  const blamesProxy = learnFromResponse(context, held, facts)
  const now = context.clock.now()
  const { sentAt, lastSentAt = sentAt, endedAt } = facts
  const first = held.task.host
  const host = askedLast(facts, held)
  // A row without a URL has no real host; its host name starts with `~`. So its failures affect no breaker and no rate.
  const trouble = host.startsWith('~') ? null : troubleOf(facts)
  const last: RequestResult = { startedAt: lastSentAt, endedAt, page: taskKey(held.task), ...trouble }
  if (blamesProxy) last.isUnknown = true
  context.hosts.finished(first, host === first ? last : { startedAt: sentAt, endedAt }, now)
  if (host !== first) updateOtherHost(context, host, last)
  if (trouble?.failure === 'host.throttled')
    context.emit('host.throttled', { host, untilMs: now + (trouble.retryAfterMs ?? 0) })
}

/** Applies the result to a host that this coordinator leads, or notifies the coordinator that leads it. */
function updateOtherHost(context: OutcomeContext, host: string, result: RequestResult): void {
  if (context.shards.leads(host)) context.hosts.extraEnded(host, result, context.clock.now())
  else context.shards.requestEnded(host, result)
}

/** What a failure means for the breaker and the rate of its host. Null for failures that the host did not cause, such
 *  as our own waits and cancelled jobs. */
function troubleOf({ failure }: AnswerFacts): Omit<RequestResult, 'startedAt' | 'endedAt'> | null {
  if (!failure) return null
  if (failure.code === 'host.not-now' || failure.code === 'job.cancelled') return { isUnknown: true }
  const retryAfterMs = Number(failure.details?.retryAfterMs) || undefined
  return { failure: failure.code, ...(retryAfterMs && { retryAfterMs }) }
}

/** The host of the last request. After a redirect it may differ from the task's host. */
const askedLast = ({ finalUrl }: AnswerFacts, { task }: InFlightTask): string =>
  finalUrl === task.url || finalUrl === '' ? task.host : hostOf(finalUrl)

/** Counts an outcome that the store has committed. */
export function countOutcome(context: OutcomeContext, held: InFlightTask, outcome: SettledTask): void {
  const job = context.jobs.get(outcome.jobId)
  context.inFlight.remove(held)
  if (!job) return
  if (context.workers.leavesOrphan(context.settings, held, outcome)) job.suspectOrphans()
  // The attempt lost its lease. Another attempt may have stored the page, so count it towards the page share, like a
  // success.
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

/** Counts a task that another shard settled, if this coordinator decides when the job ends. */
function countElsewhere(context: OutcomeContext, { jobId, state, isLost }: SettledTask): void {
  const job = context.jobs.get(jobId)
  if (job && !isLost && state !== 'pending') job.tasksEnded(1)
}

function noteOrphan(context: OutcomeContext, { jobId, isLost }: SettledTask): void {
  if (isLost) context.jobs.get(jobId)?.suspectOrphans()
}

/** Adds new tasks to the dispatcher. With `passesOn`, also reports new tasks at hosts of other shards to the
 *  coordinators of those shards. */
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

/** Updates the hosts of ended requests at once, although their pages are not parsed yet. */
export function learnAnswered(context: OutcomeContext, tasks: readonly AnsweredTask[]): void {
  for (const answered of tasks) {
    const held = context.inFlight.get(answered)
    if (held?.task.attempt === answered.attempt) updateHost(context, held, answered)
  }
}

/** Applies what parsing revealed about the host, for example that the page is a wall. */
function reportReading(context: OutcomeContext, held: InFlightTask, outcome: SettledTask): void {
  const trouble = troubleOf(outcome)
  if (held.slot || trouble === null || outcome.isLost) return
  learnFromParse(context, held, outcome)
  const { sentAt, lastSentAt = sentAt, endedAt } = outcome
  const result = { startedAt: lastSentAt, endedAt, page: taskKey(held.task), ...trouble }
  updateOtherHost(context, askedLast(outcome, held), result)
}

/** Applies a group that another process committed. Tasks that are not in flight in this process are ignored, because
 *  they were counted or dropped before. */
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
