// Releases tasks: claims the tasks that may run now, checks robots.txt, and sends the tasks to the workers.
import type { PlannedClaim } from '../../dispatch/dispatcher.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { LeasedTask } from '../../model/task.ts'
import { withOverrides } from '../work/task-overrides.ts'
import { failedReport } from '../work/task-report.ts'
import { type RenderContext, withWay } from './choose-fetch-mode.ts'
import type { CoordinatorContext } from './context.ts'
import { type CacheContext, withAnswers } from './find-answers.ts'
import { waitInLine } from './hosts/host-slots.ts'
import { addSitemaps, learnRobots, obeysRobots, type RobotsContext } from './hosts/learn-robots.ts'
import { originOf, type RobotsDecision, robotsFailure } from './hosts/robots-gate.ts'
import { waitsOutOutage } from './hosts/silent-hosts.ts'
import { dropInFlight } from './in-flight.ts'
import { proxyFailure, withIdentity } from './job-identities.ts'
import type { RunningJob } from './running-job.ts'
import { emitReleaseSpans, withTrace } from './spans.ts'

/** Dependencies for releasing tasks to the lanes. */
type ReleaseContext = RobotsContext &
  CacheContext &
  RenderContext &
  Pick<CoordinatorContext, 'inFlight' | 'conduct' | 'workers' | 'mark'>

/** The result of a release: reports of tasks that were refused without a request, the number of tasks, and when to plan again. */
interface Released {
  refused: TaskReport[]
  count: number
  nextAt: number | null
}

export async function releaseTasks(context: ReleaseContext, capacity: number): Promise<Released> {
  const startedAt = context.clock.now()
  const plan = context.dispatcher.plan(startedAt, capacity)
  if (plan.claims.length === 0) return { refused: [], count: 0, nextAt: plan.nextAt }
  const leased = await withAnswers(context, await claimTasks(context, plan.claims))
  context.mark('dispatch.after_claim')
  const ready: TimedTask[] = []
  const refused = leased.flatMap(task => admitOne(context, task, ready, startedAt))
  await sendToWorkers(context, ready).catch(error => giveBackUnsent(context, ready, error))
  return { refused, count: leased.length, nextAt: plan.nextAt }
}

/** Called if the queue to the workers is down. Reports the tasks as stopped, so that they are requeued. Then throws the
 *  error. */
function giveBackUnsent(context: ReleaseContext, tasks: TimedTask[], error: unknown): never {
  const { message } = asFailure(error)
  const failure = new Failure('worker.stopping', message)
  context.deliver(tasks.map(task => failedReport(task, failure, context.clock.now())))
  throw error
}

async function claimTasks(context: ReleaseContext, claims: PlannedClaim[]): Promise<TimedTask[]> {
  const { owner, leaseMs } = context.settings
  const lease = { owner, untilMs: context.clock.now() + leaseMs, state: 'in_progress' } as const
  const claimed = await context.store.tasks.claim(claims, lease).catch(error => {
    for (const claim of claims) context.dispatcher.abandon(claim)
    throw error
  })
  const leased = Map.groupBy(claimed, task => `${task.jobId} ${task.host}`)
  return claims.flatMap(claim => {
    const taken = leased.get(`${claim.jobId} ${claim.host}`)?.splice(0, claim.limit) ?? []
    context.dispatcher.used(claim, taken.length)
    return taken.map((task, index) => timed(context, task, claim, index))
  })
}

const timed = (context: ReleaseContext, task: LeasedTask, claim: PlannedClaim, index: number): TimedTask => ({
  ...task,
  ...(task.host.startsWith('~') ? atOnce : spaced(context, claim.starts[index]!, claim)),
  ...(claim.identities && { identity: claim.identities[index] ?? null }),
})

/** The slot of a row without a URL. It has no host, so it starts at once. Each page that its scraper opens needs a permit. */
const atOnce = { startAt: 0, gapMs: 0 }

/** The slot of a task. Without a rate, the task starts at once. With a rate, the slot may expire, because a late
 *  request would be too close to the next one. */
function spaced(
  { workers }: ReleaseContext,
  startAt: number,
  { gapMs, paceMs }: { gapMs: number; paceMs: number },
): Pick<TimedTask, 'startAt' | 'gapMs' | 'goodForMs'> {
  if (gapMs === 0) return atOnce
  const goodForMs = workers.startValidMs(gapMs, paceMs)
  return { startAt, gapMs, ...(goodForMs !== undefined && { goodForMs }) }
}

/** If the task may run, adds it to `ready`. If it is refused, returns its report. If robots.txt is unknown, the task
 *  waits. */
function admitOne(
  context: ReleaseContext,
  claimed: TimedTask,
  ready: TimedTask[],
  startedAt: number,
): TaskReport[] {
  const job = context.jobs.get(claimed.jobId)
  const task = job ? patient(context, job, asItIsDone(context, job, claimed, startedAt)) : claimed
  const before = context.inFlight.get(task)
  // A worker returned the task, and the task was claimed again before the worker's message arrived.
  if (before) dropInFlight(context, before)
  if (!job)
    return [
      failedReport(
        task,
        new Failure('worker.stopping', 'this process no longer runs the job'),
        context.clock.now(),
      ),
    ]
  context.inFlight.add({ task, slot: true })
  const denied = context.conduct.crawlList.refusalOf(task.host, task.url)
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
    // Apply the overrides first, because they may set the fetch mode.
    withIdentity(job, withWay(context, job, withOverrides(context, job, task)), context.clock.now()),
    startedAt,
  )

const patient = (context: ReleaseContext, job: RunningJob, task: TimedTask): TimedTask =>
  waitsOutOutage(context, job, task.host) ? { ...task, waitsOutOutage: true } : task

const allowed: RobotsDecision = { is: 'allowed' }
const unknown: RobotsDecision = { is: 'unknown' }

/** The decision by robots.txt. It is also `unknown` if the job needs the sitemaps of this site, because robots.txt names them. */
function decisionOf(context: ReleaseContext, job: RunningJob, { host, url }: TimedTask): RobotsDecision {
  if (host.startsWith('~')) return allowed
  const decision = obeysRobots(context, job, host) ? context.robots.decide(url, job.reader) : allowed
  return decision.is !== 'unreachable' && job.needsSitemaps(url) ? unknown : decision
}

/** Returns the slot of a task to the host, because no request was sent. */
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

/** Fetches robots.txt in its own slot. Then the task waits for another slot. */
async function runAfterRobots(context: ReleaseContext, job: RunningJob, task: TimedTask): Promise<void> {
  giveBackStart(context, task)
  try {
    if (obeysRobots(context, job, task.host)) await learnRobots(context, job, task.url)
    else await addSitemaps(context, job, originOf(task.url), [])
    const failure = robotsFailure(task.url, decisionOf(context, job, task), context.clock.now())
    if (failure) throw failure
    if (job.cancelled) throw new Failure('job.cancelled', 'the job was cancelled')
    const slot = await waitInLine(context, job, task.host)
    const held = context.inFlight.get(task)
    // Another attempt of the task has started since. It has its own slot or waits for one, so return this slot.
    if (held?.task.attempt !== task.attempt) return context.hosts.unreserve(task.host, slot.at)
    held.slot = true
    await sendToWorkers(context, [{ ...task, ...spaced(context, slot.at, { ...slot, paceMs: slot.gapMs }) }])
  } catch (error) {
    const failure = job.cancelled ? new Failure('job.cancelled', 'the job was cancelled') : error
    context.deliver([failedReport(task, failure, context.clock.now())])
  }
}

async function sendToWorkers(context: ReleaseContext, tasks: TimedTask[]): Promise<void> {
  if (tasks.length === 0) return
  await context.workers.send(context, tasks)
  context.mark('dispatch.after_xadd_before_mark')
  if (context.settings.traceTasks) emitReleaseSpans(context.emit, tasks, context.clock.now())
}
