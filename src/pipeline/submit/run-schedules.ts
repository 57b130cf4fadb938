// Runs schedules: every tick gets at most one run, even with several processes. Missed ticks share one catch-up run.
import { asFailure, Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import type { NextTick, Schedule, ScheduleRun } from '../../model/schedule.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NewJob, Store } from '../../ports/store.ts'
import { isOvertaken, latestTick, nextOf } from './plan-schedule.ts'

export interface ScheduleParts {
  store: Store
  /** Wall-clock time, because a monotonic clock may stop while the machine sleeps. */
  clock: Clock
  random: () => number
  /** Submits the job of a run, with its tick. */
  start: (schedule: Schedule, tick: NonNullable<NewJob['tick']>) => Promise<Job>
  cancel: (jobId: string) => Promise<unknown>
  /** Called for every stored run. */
  tell?: (run: ScheduleRun) => void
  /** Receives the error of one schedule. Other schedules continue, and the next check retries this one. */
  trouble: (scheduleId: string, error: unknown) => void
}

/** Limit of waiting runs and due schedules per check. */
const mostAtOnce = 100
/** A run that starts later than this after its tick is marked as a catch-up run. */
const lateMs = 60_000

/** Starts the runs that are due and returns the next due time. Most checks find nothing and cost one query. */
export async function runDueSchedules(parts: ScheduleParts): Promise<number | null> {
  const { schedules, queued, nextAt } = await parts.store.schedules.due(parts.clock.now(), mostAtOnce)
  for (const run of queued) await startQueued(parts, run).catch(error => parts.trouble(run.scheduleId, error))
  for (const schedule of schedules)
    await act(parts, schedule).catch(error => parts.trouble(schedule.id, error))
  return schedules.length === 0 ? nextAt : parts.clock.now()
}

/** Runs a schedule now, even if it is paused or not due. Throws if its `overlap` does not allow the run. */
export async function runNow(parts: ScheduleParts, schedule: Schedule): Promise<ScheduleRun> {
  const run = runOf(schedule, parts.clock.now(), parts.clock.now(), false)
  const before = await unended(parts.store, schedule.id)
  if (before && schedule.overlap === 'skip') throw stillRuns(schedule, before)
  if (before && schedule.overlap === 'queue') return enterQueued(parts, run, before)
  if (before && schedule.overlap === 'cancel_previous') await cancelAll(parts, schedule.id)
  return started(parts, schedule, run)
}

/** Runs the last tick, for an external clock with the same times. If the tick already has a run, returns that run. */
export async function runLatestTick(parts: ScheduleParts, schedule: Schedule): Promise<ScheduleRun> {
  const tick = latestTick(schedule, parts.clock.now())
  if (!(await runOfTick(parts.store, schedule, tick))) {
    const next =
      schedule.nextTick === tick ? nextOf(schedule, tick, { now: tick, random: parts.random }) : undefined
    await startOr(parts, schedule, runOf(schedule, tick, parts.clock.now(), false), next)
  }
  return (await runOfTick(parts.store, schedule, tick)) ?? runOf(schedule, tick, parts.clock.now(), false)
}

/** The run of a tick; null if there is none. A later catch-up run also counts as the run of an earlier, missed tick. */
async function runOfTick({ schedules }: Store, { id }: Schedule, tick: number): Promise<ScheduleRun | null> {
  const [newest] = await schedules.runs(id, { limit: 1 })
  return newest && newest.tick >= tick ? newest : null
}

/** Stores a run as queued, so that the service starts it. For processes that cannot submit jobs themselves. */
export async function leaveRun(
  { store, clock }: Pick<ScheduleParts, 'store' | 'clock'>,
  schedule: Schedule,
  { ofLatestTick = false } = {},
): Promise<ScheduleRun> {
  const tick = ofLatestTick ? latestTick(schedule, clock.now()) : clock.now()
  const known = ofLatestTick ? await runOfTick(store, schedule, tick) : null
  if (known) return known
  const run = runOf(schedule, tick, clock.now(), false)
  const queued = { ...run, outcome: 'queued', reason: 'requested manually' } as const
  await store.schedules.enterRun(queued)
  return queued
}

async function act(parts: ScheduleParts, schedule: Schedule): Promise<void> {
  const now = parts.clock.now()
  const tick = schedule.nextTick ?? now
  const next = nextOf(schedule, Math.max(now, tick), { now, random: parts.random })
  const isLate = now - (schedule.nextAt ?? now) > lateMs || isOvertaken(schedule, tick, now)
  const run = runOf(schedule, tick, now, isLate)
  const before = await unended(parts.store, schedule.id)
  if (before && schedule.overlap === 'skip') return enterSkipped(parts, schedule, run, next, before)
  if (before && schedule.overlap === 'queue') return enterWaiting(parts, schedule, run, next, before)
  if (before && schedule.overlap === 'cancel_previous') await cancelAll(parts, schedule.id)
  await startOr(parts, schedule, run, next)
}

const runOf = (schedule: Schedule, tick: number, at: number, catchUp: boolean): ScheduleRun => ({
  ...{ scheduleId: schedule.id, tick, at, catchUp },
  ...{ outcome: 'started', jobId: null, reason: null },
})

/** States of a job that has not ended. A paused job counts too. */
const openStates = ['pending', 'running', 'paused', 'finishing'] as const

async function unended({ jobs }: Store, scheduleId: string): Promise<Job | null> {
  return (await jobs.list({ scheduleId, states: [...openStates], limit: 1 }))[0] ?? null
}

async function cancelAll({ store, cancel }: ScheduleParts, scheduleId: string): Promise<void> {
  for (const { id } of await store.jobs.list({ scheduleId, states: [...openStates], limit: 100 }))
    await cancel(id).catch(error => {
      // Ignore a job that has already ended.
      if (asFailure(error).code !== 'job.wrong-state') throw error
    })
}

const runsStill = ({ id, state }: Job): string => `job ${id} of the run before it is ${state}`

async function enterSkipped(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next: NextTick,
  before: Job,
): Promise<void> {
  await enter(parts, schedule, { ...run, outcome: 'skipped', reason: runsStill(before) }, next)
}

/** Stores a run that waits for the previous run. At most one run waits; otherwise runs would pile up behind a slow job. */
async function enterWaiting(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next: NextTick,
  before: Job,
): Promise<void> {
  const [latest] = await parts.store.schedules.runs(schedule.id, { limit: 1 })
  const waits = latest?.outcome === 'queued'
  const entered: ScheduleRun = waits
    ? {
        ...run,
        outcome: 'skipped',
        reason: `the run of ${new Date(latest.tick).toISOString()} is already waiting`,
      }
    : { ...run, outcome: 'queued', reason: runsStill(before) }
  await enter(parts, schedule, entered, next)
}

async function enterQueued(parts: ScheduleParts, run: ScheduleRun, before: Job): Promise<ScheduleRun> {
  const queued = { ...run, outcome: 'queued', reason: runsStill(before) } as const
  await parts.store.schedules.enterRun(queued)
  parts.tell?.(queued)
  return queued
}

async function startQueued(parts: ScheduleParts, run: ScheduleRun): Promise<void> {
  const schedule = await parts.store.schedules.get(run.scheduleId)
  if (!schedule) return
  const waits = schedule.overlap === 'skip' || schedule.overlap === 'queue'
  if (waits && (await unended(parts.store, schedule.id))) return
  if (schedule.overlap === 'cancel_previous') await cancelAll(parts, schedule.id)
  await startOr(parts, schedule, { ...run, at: parts.clock.now(), reason: null })
}

/** Starts the job of a run, or stores why it could not start. */
async function startOr(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next?: NextTick,
): Promise<void> {
  try {
    await started(parts, schedule, run, next)
  } catch (error) {
    const { code, message } = asFailure(error)
    if (code === 'schedule.ticked') return moveOn(parts, schedule, run.tick, next)
    // The disk is full or the database is down. Throw, so that the next check retries the tick.
    if (code.startsWith('storage.') || code.startsWith('store.') || code === 'worker.stopping') throw error
    await enter(parts, schedule, { ...run, outcome: 'failed', reason: `${code}: ${message}` }, next)
  }
}

async function started(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next?: NextTick,
): Promise<ScheduleRun> {
  const { tick, catchUp } = run
  const job = await parts.start(schedule, { tick, catchUp, ...(next && { next }) })
  const entered: ScheduleRun = { ...run, outcome: 'started', jobId: job.id }
  parts.tell?.(entered)
  return entered
}

async function enter(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next?: NextTick,
): Promise<void> {
  if (await parts.store.schedules.enterRun(run, next)) parts.tell?.(run)
  else await moveOn(parts, schedule, run.tick, next)
}

/** Moves a schedule to its next tick, because this tick already has a run: another process started it, or the clock was set back. */
async function moveOn(
  { store }: ScheduleParts,
  { id }: Schedule,
  tick: number,
  next: NextTick | undefined,
): Promise<void> {
  if (next && (await store.schedules.get(id))?.nextTick === tick) await store.schedules.update(id, next)
}

const stillRuns = ({ id }: Schedule, before: Job): Failure =>
  new Failure(
    'schedule.busy',
    `schedule ${id} can't run now: ${runsStill(before)}; wait for it, cancel it, or set overlap to allow`,
    { scheduleId: id, jobId: before.id },
  )
