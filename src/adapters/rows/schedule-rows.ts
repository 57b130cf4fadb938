// Rows of schedules and of their runs, as stores on any backend have them.
import type { Overlap, Schedule, ScheduleRun } from '../../model/schedule.ts'

export interface ScheduleRow {
  id: string
  workspace: string
  name: string
  cron: string
  time_zone: string
  job: string
  overlap: Overlap
  jitter_ms: number
  /** As the backend has it: 0 and 1, or a boolean. */
  paused: number | boolean
  key_id: string | null
  created_at: number
  next_tick: number | null
  next_at: number | null
}

export interface RunRow {
  schedule_id: string
  tick: number
  at: number
  outcome: ScheduleRun['outcome']
  job_id: string | null
  reason: string | null
  catch_up: number | boolean
}

export const scheduleOf = (row: ScheduleRow): Schedule => ({
  id: row.id,
  workspace: row.workspace,
  name: row.name,
  cron: row.cron,
  timeZone: row.time_zone,
  job: JSON.parse(row.job) as Schedule['job'],
  overlap: row.overlap,
  jitterMs: row.jitter_ms,
  paused: Boolean(row.paused),
  keyId: row.key_id,
  createdAt: row.created_at,
  nextTick: row.next_tick,
  nextAt: row.next_at,
})

export const runOf = (row: RunRow): ScheduleRun => ({
  scheduleId: row.schedule_id,
  tick: row.tick,
  at: row.at,
  outcome: row.outcome,
  jobId: row.job_id,
  reason: row.reason,
  catchUp: Boolean(row.catch_up),
})
