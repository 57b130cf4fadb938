// Schedules: validates a body, computes the next due time and lists the next runs.

import { randomBytes } from 'node:crypto'
import { type CronPlan, parseCron, zonedTime } from '../../jobs/cron.ts'
import { idIn } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type {
  NewSchedule,
  NextTick,
  Schedule,
  ScheduleBody,
  ScheduleChange,
  SchedulePatch,
} from '../../model/schedule.ts'

export { zonedTime }

interface Timing {
  now: number
  random: () => number
}

type ScheduleOrigin = Pick<NewSchedule, 'workspace' | 'keyId'>

/** Creates a schedule from a body. Throws if the cron expression or the time zone is invalid. */
export function newSchedule(body: ScheduleBody, origin: ScheduleOrigin, timing: Timing): NewSchedule {
  const { scheduleId, jitterS, job, ...given } = body
  const jitterMs = Math.round(jitterS * 1_000)
  return {
    ...given,
    ...origin,
    id: idIn(origin.workspace, scheduleId ?? `schedule-${randomBytes(5).toString('hex')}`),
    job: asGiven(job),
    jitterMs,
    createdAt: timing.now,
    ...nextOf({ ...given, jitterMs }, timing.now, timing),
  }
}

/** Applies a change. If the times changed or the schedule resumes, the next tick is computed again. Ticks that passed during a
 *  pause are not run. */
export function changedSchedule(
  schedule: Schedule,
  { jitterS, job, ...given }: SchedulePatch,
  timing: Timing,
): ScheduleChange {
  const change: ScheduleChange = {
    ...(given as ScheduleChange),
    ...(job && { job: asGiven(job) }),
    ...(jitterS !== undefined && { jitterMs: Math.round(jitterS * 1_000) }),
  }
  const isNewTime = ['cron', 'timeZone', 'jitterMs'].some(field => field in change)
  const goesOn = schedule.paused && change.paused === false
  if (!isNewTime && !goesOn) return change
  return { ...change, ...nextOf({ ...schedule, ...change }, timing.now, timing) }
}

/** The job body in snake_case. It is stored like this, so that the API returns what the caller sent. */
const asGiven = (job: ScheduleBody['job']): Schedule['job'] => mapKeys(job, snake) as Schedule['job']

type Times = Pick<Schedule, 'cron' | 'timeZone' | 'jitterMs'>

/** The first tick after a time, and when its run starts. Jitter never delays a run beyond the next tick. */
export function nextOf({ cron, timeZone, jitterMs }: Times, after: number, { random }: Timing): NextTick {
  const plan = parseCron(cron, timeZone)
  const nextTick = plan.next(after)
  if (nextTick === null) return { nextTick, nextAt: null }
  const room = (plan.next(nextTick) ?? Number.POSITIVE_INFINITY) - nextTick
  return { nextTick, nextAt: nextTick + Math.floor(random() * Math.min(jitterMs, room)) }
}

/** Whether the tick after `tick` has passed too. If so, the run of `tick` is late. */
export const isOvertaken = ({ cron, timeZone }: Times, tick: number, now: number): boolean =>
  (parseCron(cron, timeZone).next(tick) ?? Number.POSITIVE_INFINITY) <= now

/** The latest tick that has passed. Throws if there was none. */
export function latestTick(
  { id, cron, timeZone }: Pick<Schedule, 'id'> & Omit<Times, 'jitterMs'>,
  now: number,
): number {
  const tick = parseCron(cron, timeZone).latest(now)
  if (tick !== null) return tick
  throw new Failure('input.invalid', `schedule ${id} has had no tick yet, so there is no tick to run`, {
    scheduleId: id,
  })
}

/** The next ticks, with the offset of the time zone at each. */
export function nextRuns({ cron, timeZone }: Times, now: number, count = 5): string[] {
  return [...ticksAfter(parseCron(cron, timeZone), now, count)].map(tick => zonedTime(tick, timeZone))
}

function* ticksAfter(plan: CronPlan, after: number, count: number): Iterable<number> {
  let tick = plan.next(after)
  for (let left = count; tick !== null && left > 0; left -= 1) {
    yield tick
    tick = plan.next(tick)
  }
}
