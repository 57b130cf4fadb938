// Release: what may run now is claimed in the store, judged by robots.txt, and handed to the lanes.
import type { PlannedWant } from '../../dispatch/dispatcher.ts'
import { hashOf } from '../../lib/text/string-hash.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import { withOverrides } from '../work/task-overrides.ts'
import { failedReport } from '../work/task-report.ts'
import { startGoodForMs } from '../work/turn-times.ts'
import { withWay } from './choose-way.ts'
import { type Desk, heldKey } from './desk.ts'
import { withAnswers } from './find-answers.ts'
import { letGo } from './free-place.ts'
import { waitsOutOutage } from './give-up-hosts.ts'
import { waitInLine } from './host-turns.ts'
import { proxyFailure, withIdentity } from './job-identities.ts'
import { addSitemaps, learnRobots, obeysRobots } from './learn-robots.ts'
import { originOf, type RobotsDecision, robotsFailure } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'
import { emitReleaseSpans, withTrace } from './spans.ts'

/** What a release gave: reports of tasks that were refused without a request, and when to look again. */
export interface Released {
  refused: TaskReport[]
  count: number
  nextAt: number | null
}

export async function releaseTasks(desk: Desk, capacity: number): Promise<Released> {
  const startedAt = desk.clock.now()
  const plan = desk.dispatcher.plan(startedAt, capacity)
  if (plan.wants.length === 0) return { refused: [], count: 0, nextAt: plan.nextAt }
  const leased = await withAnswers(desk, await claim(desk, plan.wants))
  desk.mark('dispatch.after_claim')
  const ready: TimedTask[] = []
  const refused = leased.flatMap(task => admitOne(desk, task, ready, startedAt))
  await sendToLanes(desk, ready).catch(error => giveBackUnsent(desk, ready, error))
  return { refused, count: leased.length, nextAt: plan.nextAt }
}

/** The queue is not there: what was to go through it waits in the store. */
function giveBackUnsent(desk: Desk, tasks: TimedTask[], error: unknown): never {
  const { message } = asFailure(error)
  const failure = new Failure('worker.stopping', message)
  desk.deliver(tasks.map(task => failedReport(task, failure, desk.clock.now())))
  throw error
}

async function claim(desk: Desk, wants: PlannedWant[]): Promise<TimedTask[]> {
  const { owner, leaseMs } = desk.settings
  const lease = { owner, untilMs: desk.clock.now() + leaseMs, state: 'in_progress' } as const
  const claimed = await desk.store.tasks.claim(wants, lease).catch(error => {
    for (const want of wants) desk.dispatcher.abandon(want)
    throw error
  })
  const leased = Map.groupBy(claimed, task => `${task.jobId} ${task.host}`)
  return wants.flatMap(want => {
    const taken = leased.get(`${want.jobId} ${want.host}`)?.splice(0, want.limit) ?? []
    desk.dispatcher.used(want, taken.length)
    return taken.map((task, index) => timed(desk, task, want, index))
  })
}

const timed = (desk: Desk, task: LeasedTask, want: PlannedWant, index: number): TimedTask => ({
  ...task,
  ...(task.host.startsWith('~') ? atOnce : spaced(desk, want.starts[index]!, want)),
  ...(want.identities && { identity: want.identities[index] ?? null }),
})

/** A row without a URL has no host to take turns at: what its scraper opens asks for itself. */
const atOnce = { startAt: 0, gapMs: 0 }

/** Unspaced tasks start at once; only a spaced host needs a clock. Where other processes may have what comes next, a start lapses. */
function spaced(
  { handOver }: Desk,
  startAt: number,
  { gapMs, paceMs }: { gapMs: number; paceMs: number },
): Pick<TimedTask, 'startAt' | 'gapMs' | 'goodForMs'> {
  if (gapMs === 0) return atOnce
  return { startAt, gapMs, ...(handOver && { goodForMs: startGoodForMs(gapMs, paceMs) }) }
}

/** A task that may run joins `ready`; one that may not comes back as a report; one that must ask robots.txt first waits. */
function admitOne(desk: Desk, claimed: TimedTask, ready: TimedTask[], startedAt: number): TaskReport[] {
  const job = desk.jobs.get(claimed.jobId)
  const task = job ? patient(desk, job, asItIsDone(desk, job, claimed, startedAt)) : claimed
  const before = desk.held.get(heldKey(task))
  // Whoever had it gave it back, and here it was claimed again before that was heard of.
  if (before) letGo(desk, before)
  desk.held.set(heldKey(task), { task, slot: true })
  if (!job)
    return [failedReport(task, new Failure('worker.stopping', 'the job is no longer here'), desk.clock.now())]
  job.inFlight++
  const denied = desk.crawlList.refusalOf(task.host, task.url)
  if (denied !== null) return [refuse(desk, task, new Failure('host.denied', denied, { host: task.host }))]
  if (task.way === 'browser' && job.noBrowser) return [refuse(desk, task, Failure.from(job.noBrowser))]
  const withoutProxy = proxyFailure(job, task, desk.clock.now())
  if (withoutProxy) return [refuse(desk, task, withoutProxy)]
  if (task.answer?.isFresh) {
    giveBackStart(desk, task)
    if (task.identity) job.identities?.of(task)?.giveBack(task.identity, task.host)
    ready.push({ ...task, startAt: 0, gapMs: 0 })
    return []
  }
  const decision = decisionOf(desk, job, task)
  if (decision.is === 'unknown') {
    void runAfterRobots(desk, job, task)
    return []
  }
  const failure = robotsFailure(task.url, decision, desk.clock.now())
  if (failure) return [refuse(desk, task, failure)]
  ready.push(task)
  return []
}

const asItIsDone = (desk: Desk, job: RunningJob, task: TimedTask, startedAt: number): TimedTask =>
  withTrace(
    job,
    // The manner comes first: it may say by which way the task goes.
    withIdentity(job, withWay(desk, job, withOverrides(desk, job, task)), desk.clock.now()),
    startedAt,
  )

const patient = (desk: Desk, job: RunningJob, task: TimedTask): TimedTask =>
  waitsOutOutage(desk, job, task.host) ? { ...task, waitsOutOutage: true } : task

const allowed: RobotsDecision = { is: 'allowed' }
const unknown: RobotsDecision = { is: 'unknown' }

/** `unknown` also where the sitemaps of a seed's site are still to be found: robots.txt names them. */
function decisionOf(desk: Desk, job: RunningJob, { host, url }: TimedTask): RobotsDecision {
  if (host.startsWith('~')) return allowed
  const decision = obeysRobots(desk, job, host) ? desk.robots.decide(url, job.reader) : allowed
  if (job.unmapped.size === 0 || decision.is === 'unreachable') return decision
  return job.unmapped.has(originOf(url)) ? unknown : decision
}

/** The request never happened, so its start goes back to the host. */
function giveBackStart(desk: Desk, task: TimedTask): void {
  const held = desk.held.get(heldKey(task))
  if (held) held.slot = false
  desk.hosts.unreserve(task.host, task.startAt)
}

function refuse(desk: Desk, task: TimedTask, failure: Failure): TaskReport {
  giveBackStart(desk, task)
  if (task.identity) desk.jobs.get(task.jobId)?.identities?.of(task)?.giveBack(task.identity, task.host)
  return failedReport(task, failure, desk.clock.now())
}

/** robots.txt takes a turn at the host of its own; then the task waits for its turn. */
async function runAfterRobots(desk: Desk, job: RunningJob, task: TimedTask): Promise<void> {
  giveBackStart(desk, task)
  try {
    if (obeysRobots(desk, job, task.host)) await learnRobots(desk, job, task.url)
    else await addSitemaps(desk, job, originOf(task.url), [])
    const failure = robotsFailure(task.url, decisionOf(desk, job, task), desk.clock.now())
    if (failure) throw failure
    if (job.cancelled) throw new Failure('job.cancelled', 'the job was cancelled')
    const turn = await waitInLine(desk, job, task.host)
    const held = desk.held.get(heldKey(task))
    // Claimed again meanwhile: that attempt has, or waits for, a place of its own.
    if (held?.task.attempt !== task.attempt) return desk.hosts.unreserve(task.host, turn.at)
    held.slot = true
    await sendToLanes(desk, [{ ...task, ...spaced(desk, turn.at, { ...turn, paceMs: turn.gapMs }) }])
  } catch (error) {
    const failure = job.cancelled ? new Failure('job.cancelled', 'the job was cancelled') : error
    desk.deliver([failedReport(task, failure, desk.clock.now())])
  }
}

/** In one message to another process: a share for each of them, of a size that is worth a message. */
const fewestInMessage = 32
const mostInMessage = 256

async function sendToLanes(desk: Desk, tasks: TimedTask[]): Promise<void> {
  if (tasks.length === 0) return
  const rendered = tasks.filter(task => task.way === 'browser')
  if (rendered.length > 0) await desk.browserQueue.send(messagesOf(desk, rendered))
  const batches: TimedTask[][] = desk.queues.map(() => [])
  const byHost = hostsIn(tasks) >= batches.length * manyForLane
  for (const [index, task] of tasks.entries())
    if (task.way === 'http') batches[laneOf(task, index, batches.length, byHost)]!.push(task)
  for (const [index, batch] of batches.entries())
    if (batch.length > 0) await desk.queues[index]!.send(messagesOf(desk, batch))
  desk.mark('dispatch.after_xadd_before_mark')
  if (desk.settings.traceTasks) emitReleaseSpans(desk.emit, tasks, desk.clock.now())
  if (desk.handOver) for (const task of tasks) noteSent(desk, task)
}

/** To lanes of this process all at once. To others by the host, so that what is spaced is spaced by one of them. */
function messagesOf(desk: Desk, tasks: TimedTask[]): TaskBatch[] {
  if (!desk.handOver) return [{ tasks }]
  const { owner } = desk.settings
  const marked = tasks.map(task =>
    desk.jobs.get(task.jobId)?.isAwaited ? { ...task, isAwaited: true } : task,
  )
  const ordered = marked.toSorted((a, b) => (a.gapMs === 0 ? 0 : 1) - (b.gapMs === 0 ? 0 : 1))
  const share = Math.ceil(ordered.length / desk.handOver.workerCount)
  const size = Math.min(mostInMessage, Math.max(fewestInMessage, share))
  const messages: TaskBatch[] = []
  for (let at = 0; at < ordered.length; at += size)
    messages.push({ owner, tasks: ordered.slice(at, at + size) })
  return messages
}

function noteSent(desk: Desk, task: TimedTask): void {
  const held = desk.held.get(heldKey(task))
  if (held) held.sentAt = desk.clock.now()
}

/** So many hosts for each lane give every lane enough to do. */
const manyForLane = 8

/** Tasks of one host stand together, or nearly so. */
const hostsIn = (tasks: readonly TimedTask[]): number =>
  tasks.reduce((count, { host }, index) => count + Number(tasks[index - 1]?.host !== host), 0)

/** A host that is spaced stays in one lane; the others are spread. Where there are many, each keeps to the connections of one. */
const laneOf = (task: TimedTask, index: number, lanes: number, byHost: boolean): number =>
  (byHost || task.gapMs > 0 ? hashOf(task.host) : index) % lanes
