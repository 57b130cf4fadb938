// Runs schedules: every tick gets at most one run, even with several processes. Missed ticks share one catch-up run.
import { asFailure, Failure } from '../../model/failures.ts'
import { type Job, openStates } from '../../model/job.ts'
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
/** A run that starts later than this many ms after its tick is marked as a catch-up run. */
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
  if (before && schedule.overlap === 'queue')
    return (await waitingRun(parts.store, schedule.id)) ?? enterQueued(parts, run, before)
  if (schedule.overlap === 'cancel_previous') await cancelPrevious(parts, run)
  return started(parts, schedule, run)
}

/** Runs the last tick, for callers with an external clock that has the times of the schedule. `overlap` applies as usual.
 *  If the tick already has a run, returns that run. */
export async function runLatestTick(parts: ScheduleParts, schedule: Schedule): Promise<ScheduleRun> {
  const tick = latestTick(schedule, parts.clock.now())
  if (!(await runOfTick(parts.store, schedule, tick))) {
    const next =
      schedule.nextTick === tick ? nextOf(schedule, tick, { now: tick, random: parts.random }) : undefined
    await runTick(parts, schedule, runOf(schedule, tick, parts.clock.now(), false), next)
  }
  return (await runOfTick(parts.store, schedule, tick)) ?? runOf(schedule, tick, parts.clock.now(), false)
}

/** The run of a tick; null if there is none. A later catch-up run also counts as the run of an earlier, missed tick. */
async function runOfTick({ schedules }: Store, { id }: Schedule, tick: number): Promise<ScheduleRun | null> {
  const [newest] = await schedules.runs(id, { limit: 1 })
  return newest && newest.tick >= tick ? newest : null
}

/** Stores a run as queued, so that the service starts it. Used by processes that cannot submit jobs themselves. A run of
 *  the last tick is stored as skipped if `overlap` does not allow it now. */
export async function leaveRun(
  { store, clock }: Pick<ScheduleParts, 'store' | 'clock'>,
  schedule: Schedule,
  { ofLatestTick = false } = {},
): Promise<ScheduleRun> {
  const tick = ofLatestTick ? latestTick(schedule, clock.now()) : clock.now()
  const known = ofLatestTick ? await runOfTick(store, schedule, tick) : null
  if (known) return known
  const held = ofLatestTick ? await heldBack(store, schedule) : null
  const asked = { outcome: 'queued', reason: 'requested manually' } as const
  const run: ScheduleRun = { ...runOf(schedule, tick, clock.now(), false), ...(held ?? asked) }
  await store.schedules.enterRun(run)
  return run
}

async function act(parts: ScheduleParts, schedule: Schedule): Promise<void> {
  const now = parts.clock.now()
  const tick = schedule.nextTick ?? now
  const next = nextOf(schedule, Math.max(now, tick), { now, random: parts.random })
  const isLate = now - (schedule.nextAt ?? now) > lateMs || isOvertaken(schedule, tick, now)
  const run = runOf(schedule, tick, now, isLate)
  await runTick(parts, schedule, run, next)
}

/** Starts the run of a tick. If `overlap` does not allow it now, stores it as skipped or queued. */
async function runTick(
  parts: ScheduleParts,
  schedule: Schedule,
  run: ScheduleRun,
  next?: NextTick,
): Promise<void> {
  if (await runAt(parts.store, run)) return moveOn(parts, schedule, run.tick, next)
  const held = await heldBack(parts.store, schedule)
  if (held) return enter(parts, schedule, { ...run, ...held }, next)
  if (schedule.overlap === 'cancel_previous') await cancelPrevious(parts, run)
  await startOr(parts, schedule, run, next)
}

const runOf = (schedule: Schedule, tick: number, at: number, catchUp: boolean): ScheduleRun => ({
  ...{ scheduleId: schedule.id, tick, at, catchUp },
  ...{ outcome: 'started', jobId: null, reason: null },
})

/** A job of the schedule that has not ended; null if all have ended. A paused job has not ended. */
async function unended({ jobs }: Store, scheduleId: string): Promise<Job | null> {
  return (await jobs.list({ scheduleId, states: [...openStates], limit: 1 }))[0] ?? null
}

/** The stored run of exactly this tick. */
async function runAt({ schedules }: Store, { scheduleId, tick }: ScheduleRun): Promise<ScheduleRun | null> {
  const [newest] = await schedules.runs(scheduleId, { limit: 1, before: tick + 1 })
  return newest?.tick === tick ? newest : null
}

/** Cancels the jobs of other ticks. */
async function cancelPrevious({ store, cancel }: ScheduleParts, run: ScheduleRun): Promise<void> {
  const jobs = await store.jobs.list({ scheduleId: run.scheduleId, states: [...openStates], limit: 100 })
  // Read after the list: another process may have started this tick. Its job is stored together with the run.
  const own = await runAt(store, run)
  for (const { id } of jobs.filter(job => job.id !== own?.jobId))
    await cancel(id).catch(error => {
      // Ignore a job that has already ended.
      if (asFailure(error).code !== 'job.wrong-state') throw error
    })
}

const runsStill = ({ id, state }: Job): string => `job ${id} of the previous run is ${state}`

/** The outcome of a tick that `overlap` does not allow to start now: skipped or queued. Null if the tick may start. At
 *  most one run waits. Otherwise runs would pile up behind a slow job. */
async function heldBack(
  store: Store,
  { id, overlap }: Schedule,
): Promise<Pick<ScheduleRun, 'outcome' | 'reason'> | null> {
  if (!waitsForPrevious(overlap)) return null
  const before = await unended(store, id)
  if (before && overlap === 'skip') return { outcome: 'skipped', reason: runsStill(before) }
  const waiting = await waitingRun(store, id)
  if (waiting) {
    const tick = new Date(waiting.tick).toISOString()
    return { outcome: 'skipped', reason: `the run of ${tick} is already waiting` }
  }
  return before && { outcome: 'queued', reason: runsStill(before) }
}

const waitsForPrevious = (overlap: Schedule['overlap']): boolean => overlap === 'skip' || overlap === 'queue'

const waitingRun = async ({ schedules }: Store, scheduleId: string): Promise<ScheduleRun | null> =>
  (await schedules.runs(scheduleId, { limit: 1, outcome: 'queued' }))[0] ?? null

async function enterQueued(parts: ScheduleParts, run: ScheduleRun, before: Job): Promise<ScheduleRun> {
  const queued = { ...run, outcome: 'queued', reason: runsStill(before) } as const
  await parts.store.schedules.enterRun(queued)
  parts.tell?.(queued)
  return queued
}

async function startQueued(parts: ScheduleParts, run: ScheduleRun): Promise<void> {
  const schedule = await parts.store.schedules.get(run.scheduleId)
  if (!schedule) return
  if (waitsForPrevious(schedule.overlap) && (await unended(parts.store, schedule.id))) return
  if (schedule.overlap === 'cancel_previous') await cancelPrevious(parts, run)
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
    `schedule ${id} can't run now: ${runsStill(before)}; wait for that job, cancel it, or set overlap to allow`,
    { scheduleId: id, jobId: before.id },
  )
