// The JSON forms of schedules and runs.

import { type Caller, idIn, mayDo } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Schedule, ScheduleRun } from '../../../model/schedule.ts'
import { nextRuns, zonedTime } from '../../../pipeline/submit/plan-schedule.ts'
import { hideHeaders } from '../../../pipeline/submit/sealed-headers.ts'
import { isoTime, isoTimeOrNull } from '../../answers.ts'
import type { Server } from '../../parts.ts'

export async function ownedSchedule(
  { parts }: Server,
  caller: Caller,
  scheduleId: string,
): Promise<Schedule> {
  const schedule = await parts.store.schedules.get(idIn(caller.workspace, scheduleId))
  if (schedule && schedule.workspace === caller.workspace) return schedule
  throw new Failure(
    'schedule.unknown',
    `there is no schedule "${scheduleId}"; GET /schedules lists all schedules`,
    { scheduleId },
  )
}

export function shownSchedule(schedule: Schedule, caller: Caller, base: string) {
  const { id: stored, name, cron, timeZone, job, overlap, jitterMs, paused, createdAt, nextAt } = schedule
  const id = chosenId(stored)
  const self = `${base}/schedules/${id}`
  return {
    ...{ scheduleId: id, name, cron, timeZone, overlap, paused },
    job: hideHeaders(mayDo(caller.scopes, 'submit') ? job : withoutHeaders(job)),
    jitterS: jitterMs / 1_000,
    createdAt: isoTime(createdAt),
    nextAt: paused ? null : isoTimeOrNull(nextAt),
    nextRuns: nextRuns(schedule, Date.now()),
    links: {
      self,
      runs: `${self}/runs`,
      compare: `${self}/compare`,
      jobs: `${base}/jobs?schedule_id=${id}`,
    },
  }
}

/** Headers may hold credentials. Only keys that could set them may see them. */
const withoutHeaders = (job: Schedule['job']): Schedule['job'] =>
  'headers' in job ? { ...job, headers: 'only shown to keys that may submit' } : job

export const shownRun = ({ tick, at, ...run }: ScheduleRun, { timeZone }: Schedule) => ({
  ...run,
  scheduleId: chosenId(run.scheduleId),
  jobId: run.jobId && chosenId(run.jobId),
  tick: zonedTime(tick, timeZone),
  at: isoTime(at),
})
