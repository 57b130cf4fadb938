// Release: what may run now is claimed in the store, judged by robots.txt, and handed to the lanes.
import type { PlannedWant } from '../../dispatch/dispatcher.ts'
import { hashOf } from '../../lib/text/string-hash.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import { withOverrides } from '../work/task-overrides.ts'
import { failedReport } from '../work/task-report.ts'
import { startGoodForMs } from '../work/turn-times.ts'
import { type RenderContext, withWay } from './choose-way.ts'
import type { CoordinatorContext } from './context.ts'
import { type CacheContext, withAnswers } from './find-answers.ts'
import { waitsOutOutage } from './give-up-hosts.ts'
import { waitInLine } from './host-turns.ts'
import { dropInFlight } from './in-flight.ts'
import { proxyFailure, withIdentity } from './job-identities.ts'
import { addSitemaps, learnRobots, obeysRobots, type RobotsContext } from './learn-robots.ts'
import { originOf, type RobotsDecision, robotsFailure } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'
import { emitReleaseSpans, withTrace } from './spans.ts'

/** What releasing tasks to the lanes needs. */
export type ReleaseContext = RobotsContext &
  CacheContext &
  RenderContext &
  Pick<CoordinatorContext, 'inFlight' | 'crawlList' | 'queues' | 'browserQueue' | 'handOver' | 'mark'>

/** What a release gave: reports of tasks that were refused without a request, and when to look again. */
export interface Released {
  refused: TaskReport[]
  count: number
  nextAt: number | null
}

export async function releaseTasks(context: ReleaseContext, capacity: number): Promise<Released> {
  const startedAt = context.clock.now()
  const plan = context.dispatcher.plan(startedAt, capacity)
  if (plan.wants.length === 0) return { refused: [], count: 0, nextAt: plan.nextAt }
  const leased = await withAnswers(context, await claim(context, plan.wants))
  context.mark('dispatch.after_claim')
  const ready: TimedTask[] = []
  const refused = leased.flatMap(task => admitOne(context, task, ready, startedAt))
  await sendToLanes(context, ready).catch(error => giveBackUnsent(context, ready, error))
  return { refused, count: leased.length, nextAt: plan.nextAt }
}

/** The queue is not there: what was to go through it waits in the store. */
function giveBackUnsent(context: ReleaseContext, tasks: TimedTask[], error: unknown): never {
  const { message } = asFailure(error)
  const failure = new Failure('worker.stopping', message)
  context.deliver(tasks.map(task => failedReport(task, failure, context.clock.now())))
  throw error
}

async function claim(context: ReleaseContext, wants: PlannedWant[]): Promise<TimedTask[]> {
  const { owner, leaseMs } = context.settings
  const lease = { owner, untilMs: context.clock.now() + leaseMs, state: 'in_progress' } as const
  const claimed = await context.store.tasks.claim(wants, lease).catch(error => {
    for (const want of wants) context.dispatcher.abandon(want)
    throw error
  })
  const leased = Map.groupBy(claimed, task => `${task.jobId} ${task.host}`)
  return wants.flatMap(want => {
    const taken = leased.get(`${want.jobId} ${want.host}`)?.splice(0, want.limit) ?? []
    context.dispatcher.used(want, taken.length)
    return taken.map((task, index) => timed(context, task, want, index))
  })
}

const timed = (context: ReleaseContext, task: LeasedTask, want: PlannedWant, index: number): TimedTask => ({
  ...task,
  ...(task.host.startsWith('~') ? atOnce : spaced(context, want.starts[index]!, want)),
  ...(want.identities && { identity: want.identities[index] ?? null }),
})

/** A row without a URL has no host to take turns at: what its scraper opens asks for itself. */
const atOnce = { startAt: 0, gapMs: 0 }

/** Unspaced tasks start at once; only a spaced host needs a clock. Where other processes may have what comes next, a start lapses. */
function spaced(
  { handOver }: ReleaseContext,
  startAt: number,
  { gapMs, paceMs }: { gapMs: number; paceMs: number },
): Pick<TimedTask, 'startAt' | 'gapMs' | 'goodForMs'> {
  if (gapMs === 0) return atOnce
  return { startAt, gapMs, ...(handOver && { goodForMs: startGoodForMs(gapMs, paceMs) }) }
}

/** A task that may run joins `ready`; one that may not comes back as a report; one that must ask robots.txt first waits. */
function admitOne(
  context: ReleaseContext,
  claimed: TimedTask,
  ready: TimedTask[],
  startedAt: number,
): TaskReport[] {
  const job = context.jobs.get(claimed.jobId)
  const task = job ? patient(context, job, asItIsDone(context, job, claimed, startedAt)) : claimed
  const before = context.inFlight.get(task)
  // Whoever had it gave it back, and here it was claimed again before that was heard of.
  if (before) dropInFlight(context, before)
  if (!job)
    return [
      failedReport(task, new Failure('worker.stopping', 'the job is no longer here'), context.clock.now()),
    ]
  context.inFlight.add({ task, slot: true })
  const denied = context.crawlList.refusalOf(task.host, task.url)
  if (denied !== null) return [refuse(context, task, new Failure('host.denied', denied, { host: task.host }))]
  if (task.way === 'browser' && job.noBrowser) return [refuse(context, task, Failure.from(job.noBrowser))]
  const withoutProxy = proxyFailure(job, task, context.clock.now())
  if (withoutProxy) return [refuse(context, task, withoutProxy)]
  if (task.answer?.isFresh) {
    giveBackStart(context, task)
    if (task.identity) job.identities?.of(task)?.giveBack(task.identity, task.host)
    ready.push({ ...task, startAt: 0, gapMs: 0 })
    return []
  }
  const decision = decisionOf(context, job, task)
  if (decision.is === 'unknown') {
    void runAfterRobots(context, job, task)
    return []
  }
  const failure = robotsFailure(task.url, decision, context.clock.now())
  if (failure) return [refuse(context, task, failure)]
  ready.push(task)
  return []
}

const asItIsDone = (
  context: ReleaseContext,
  job: RunningJob,
  task: TimedTask,
  startedAt: number,
): TimedTask =>
  withTrace(
    job,
    // The manner comes first: it may say by which way the task goes.
    withIdentity(job, withWay(context, job, withOverrides(context, job, task)), context.clock.now()),
    startedAt,
  )

const patient = (context: ReleaseContext, job: RunningJob, task: TimedTask): TimedTask =>
  waitsOutOutage(context, job, task.host) ? { ...task, waitsOutOutage: true } : task

const allowed: RobotsDecision = { is: 'allowed' }
const unknown: RobotsDecision = { is: 'unknown' }

/** `unknown` also where the sitemaps of a seed's site are still to be found: robots.txt names them. */
function decisionOf(context: ReleaseContext, job: RunningJob, { host, url }: TimedTask): RobotsDecision {
  if (host.startsWith('~')) return allowed
  const decision = obeysRobots(context, job, host) ? context.robots.decide(url, job.reader) : allowed
  if (job.unmapped.size === 0 || decision.is === 'unreachable') return decision
  return job.unmapped.has(originOf(url)) ? unknown : decision
}

/** The request never happened, so its start goes back to the host. */
function giveBackStart(context: ReleaseContext, task: TimedTask): void {
  const held = context.inFlight.get(task)
  if (held) held.slot = false
  context.hosts.unreserve(task.host, task.startAt)
}

function refuse(context: ReleaseContext, task: TimedTask, failure: Failure): TaskReport {
  giveBackStart(context, task)
  if (task.identity) context.jobs.get(task.jobId)?.identities?.of(task)?.giveBack(task.identity, task.host)
  return failedReport(task, failure, context.clock.now())
}

/** robots.txt takes a turn at the host of its own; then the task waits for its turn. */
async function runAfterRobots(context: ReleaseContext, job: RunningJob, task: TimedTask): Promise<void> {
  giveBackStart(context, task)
  try {
    if (obeysRobots(context, job, task.host)) await learnRobots(context, job, task.url)
    else await addSitemaps(context, job, originOf(task.url), [])
    const failure = robotsFailure(task.url, decisionOf(context, job, task), context.clock.now())
    if (failure) throw failure
    if (job.cancelled) throw new Failure('job.cancelled', 'the job was cancelled')
    const turn = await waitInLine(context, job, task.host)
    const held = context.inFlight.get(task)
    // Claimed again meanwhile: that attempt has, or waits for, a place of its own.
    if (held?.task.attempt !== task.attempt) return context.hosts.unreserve(task.host, turn.at)
    held.slot = true
    await sendToLanes(context, [{ ...task, ...spaced(context, turn.at, { ...turn, paceMs: turn.gapMs }) }])
  } catch (error) {
    const failure = job.cancelled ? new Failure('job.cancelled', 'the job was cancelled') : error
    context.deliver([failedReport(task, failure, context.clock.now())])
  }
}

/** In one message to another process: a share for each of them, of a size that is worth a message. */
const fewestInMessage = 32
const mostInMessage = 256

async function sendToLanes(context: ReleaseContext, tasks: TimedTask[]): Promise<void> {
  if (tasks.length === 0) return
  const rendered = tasks.filter(task => task.way === 'browser')
  if (rendered.length > 0) await context.browserQueue.send(messagesOf(context, rendered))
  const batches: TimedTask[][] = context.queues.map(() => [])
  const byHost = hostsIn(tasks) >= batches.length * manyForLane
  for (const [index, task] of tasks.entries())
    if (task.way === 'http') batches[laneOf(task, index, batches.length, byHost)]!.push(task)
  for (const [index, batch] of batches.entries())
    if (batch.length > 0) await context.queues[index]!.send(messagesOf(context, batch))
  context.mark('dispatch.after_xadd_before_mark')
  if (context.settings.traceTasks) emitReleaseSpans(context.emit, tasks, context.clock.now())
  if (context.handOver) for (const task of tasks) noteSent(context, task)
}

/** To lanes of this process all at once. To others by the host, so that what is spaced is spaced by one of them. */
function messagesOf(context: ReleaseContext, tasks: TimedTask[]): TaskBatch[] {
  if (!context.handOver) return [{ tasks }]
  const { owner } = context.settings
  const marked = tasks.map(task =>
    context.jobs.get(task.jobId)?.isAwaited ? { ...task, isAwaited: true } : task,
  )
  const ordered = marked.toSorted((a, b) => (a.gapMs === 0 ? 0 : 1) - (b.gapMs === 0 ? 0 : 1))
  const share = Math.ceil(ordered.length / context.handOver.workerCount)
  const size = Math.min(mostInMessage, Math.max(fewestInMessage, share))
  const messages: TaskBatch[] = []
  for (let at = 0; at < ordered.length; at += size)
    messages.push({ owner, tasks: ordered.slice(at, at + size) })
  return messages
}

function noteSent(context: ReleaseContext, task: TimedTask): void {
  const held = context.inFlight.get(task)
  if (held) held.sentAt = context.clock.now()
}

/** So many hosts for each lane give every lane enough to do. */
const manyForLane = 8

/** Tasks of one host stand together, or nearly so. */
const hostsIn = (tasks: readonly TimedTask[]): number =>
  tasks.reduce((count, { host }, index) => count + Number(tasks[index - 1]?.host !== host), 0)

/** A host that is spaced stays in one lane; the others are spread. Where there are many, each keeps to the connections of one. */
const laneOf = (task: TimedTask, index: number, lanes: number, byHost: boolean): number =>
  (byHost || task.gapMs > 0 ? hashOf(task.host) : index) % lanes
