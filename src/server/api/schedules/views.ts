// The JSON forms of schedules and runs.

import { type Caller, idIn, mayDo, onlyForSubmitters } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { withoutOwnLabels } from '../../../model/own-labels.ts'
import type { Schedule, ScheduleRun } from '../../../model/schedule.ts'
import { nextRuns, zonedTime } from '../../../pipeline/submit/plan-schedule.ts'
import { hideHeaders } from '../../../pipeline/submit/sealed-headers.ts'
import type { JobStore } from '../../../ports/store.ts'
import { isoTime, isoTimeOrNull } from '../../http/responses.ts'
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
    job: withoutSettings(hideHeaders(mayDo(caller.scopes, 'submit') ? job : withoutHeaders(job))),
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

/** Hides the headers, because they may contain credentials. Only keys that may submit jobs see them. */
export const withoutHeaders = <Job extends object>(job: Job): Job =>
  'headers' in job ? { ...job, headers: onlyForSubmitters } : job

/** Removes kscrape's own labels, such as the settings of a monitor. `GET /monitors` shows those settings. */
const withoutSettings = ({ labels, ...job }: Schedule['job']): Schedule['job'] =>
  labels === undefined ? job : { ...job, labels: withoutOwnLabels(labels as Record<string, string>) }

/** A run with the current state of its job, because the job may have failed after its start. */
export const shownRun = async (
  jobs: Pick<JobStore, 'get' | 'counts'>,
  { tick, at, ...run }: ScheduleRun,
  { timeZone }: Schedule,
) => ({
  ...run,
  scheduleId: chosenId(run.scheduleId),
  jobId: run.jobId && chosenId(run.jobId),
  job: run.jobId === null ? null : await jobOfRun(jobs, run.jobId),
  tick: zonedTime(tick, timeZone),
  at: isoTime(at),
})

async function jobOfRun(jobs: Pick<JobStore, 'get' | 'counts'>, jobId: string) {
  const job = await jobs.get(jobId)
  if (!job) return null
  const { tasks, records, byState } = await jobs.counts(jobId)
  const { succeeded, failed, skipped } = byState
  return { status: job.state, tasks, succeeded, failed, skipped, records }
}
