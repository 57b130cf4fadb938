// Schedules, and the runs of each: one for every tick, ever.
import type { NextTick, Schedule, ScheduleRun } from '../../model/schedule.ts'
import type { ScheduleStore } from '../../ports/service-stores.ts'
import { type RunRow, runOf, type ScheduleRow, scheduleOf } from '../rows/schedule-rows.ts'
import { scheduleExists } from '../store-failures.ts'
import type { Database, Queries } from './database.ts'
import { rowBefore } from './pages.ts'

export function scheduleStore(database: Database): ScheduleStore {
  return { ...rows(database), ...ticking(database) }
}

type ScheduleRows = Pick<ScheduleStore, 'create' | 'get' | 'list' | 'update' | 'delete'>

function rows(database: Database): ScheduleRows {
  return {
    async create(schedule) {
      if (!(await insert(database, schedule))) throw scheduleExists(schedule.id)
    },

    async get(scheduleId) {
      const row = await database.one<ScheduleRow>('SELECT * FROM schedules WHERE id = $1', scheduleId)
      return row ? scheduleOf(row) : null
    },

    async list({ workspace, limit = 100, cursor } = {}) {
      const rows = await database.all<ScheduleRow>(
        'SELECT * FROM schedules WHERE no < $1 AND ($2::text IS NULL OR workspace = $2) ORDER BY no DESC LIMIT $3',
        await rowBefore(database, 'schedules', cursor),
        workspace ?? null,
        limit,
      )
      return rows.map(scheduleOf)
    },

    update: (scheduleId, change) =>
      database.transaction(async queries => {
        const held = 'SELECT * FROM schedules WHERE id = $1 FOR UPDATE'
        const row = await queries.one<ScheduleRow>(held, scheduleId)
        if (!row) return null
        const changed = { ...scheduleOf(row), ...change }
        await save(queries, changed)
        return changed
      }),

    delete: scheduleId =>
      database.transaction(async queries => {
        await queries.run('DELETE FROM schedule_runs WHERE schedule_id = $1', scheduleId)
        return (await queries.run('DELETE FROM schedules WHERE id = $1', scheduleId)) === 1
      }),
  }
}

/** Changeable columns, in the order of the statements below. */
const changeable = (schedule: Schedule): unknown[] => [
  schedule.id,
  schedule.name,
  schedule.cron,
  schedule.timeZone,
  JSON.stringify(schedule.job),
  schedule.overlap,
  schedule.jitterMs,
  schedule.paused,
  schedule.nextTick,
  schedule.nextAt,
  schedule.keyId,
]

async function insert(queries: Queries, schedule: Schedule): Promise<boolean> {
  const entered = await queries.run(
    `INSERT INTO schedules (id, name, cron, time_zone, job, overlap, jitter_ms, paused, next_tick, next_at, key_id, workspace,
       created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING`,
    ...changeable(schedule),
    schedule.workspace,
    schedule.createdAt,
  )
  return entered === 1
}

async function save(queries: Queries, schedule: Schedule): Promise<void> {
  await queries.run(
    `UPDATE schedules SET name = $2, cron = $3, time_zone = $4, job = $5, overlap = $6, jitter_ms = $7, paused = $8,
       next_tick = $9, next_at = $10, key_id = $11 WHERE id = $1`,
    ...changeable(schedule),
  )
}

type Ticking = Pick<ScheduleStore, 'due' | 'nextDue' | 'enterRun' | 'queued' | 'runs'>

const isWaiting = 'NOT paused AND next_at IS NOT NULL'

function ticking(database: Database): Ticking {
  return {
    async due(now, limit) {
      const text = `SELECT * FROM schedules WHERE ${isWaiting} AND next_at <= $1 ORDER BY next_at, no LIMIT $2`
      return (await database.all<ScheduleRow>(text, now, limit)).map(scheduleOf)
    },

    async nextDue() {
      const next = await database.one<{ at: number | null; runsWait: boolean }>(
        `SELECT (SELECT min(next_at) FROM schedules WHERE ${isWaiting}) AS at,
           EXISTS (SELECT 1 FROM schedule_runs WHERE outcome = 'queued') AS "runsWait"`,
      )
      return next!
    },

    enterRun: (run, next) => database.transaction(queries => enterTick(queries, run, next)),

    async queued(limit) {
      const text = `SELECT * FROM schedule_runs WHERE outcome = 'queued' ORDER BY tick LIMIT $1`
      return (await database.all<RunRow>(text, limit)).map(runOf)
    },

    async runs(scheduleId, { limit = 100, before = Number.MAX_SAFE_INTEGER } = {}) {
      const text =
        'SELECT * FROM schedule_runs WHERE schedule_id = $1 AND tick < $2 ORDER BY tick DESC LIMIT $3'
      return (await database.all<RunRow>(text, scheduleId, before, limit)).map(runOf)
    },
  }
}

/** In a transaction. False, without a change, if the tick already has a run that is not queued. */
export async function enterTick(queries: Queries, run: ScheduleRun, next?: NextTick): Promise<boolean> {
  const entered = await queries.run(
    `INSERT INTO schedule_runs (schedule_id, tick, at, outcome, job_id, reason, catch_up)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (schedule_id, tick) DO UPDATE SET at = excluded.at,
       outcome = excluded.outcome, job_id = excluded.job_id, reason = excluded.reason, catch_up = excluded.catch_up
     WHERE schedule_runs.outcome = 'queued'`,
    run.scheduleId,
    run.tick,
    run.at,
    run.outcome,
    run.jobId,
    run.reason,
    run.catchUp,
  )
  if (entered === 0) return false
  // Unless the times changed meanwhile and the next tick is another one.
  const text = 'UPDATE schedules SET next_tick = $1, next_at = $2 WHERE id = $3 AND next_tick = $4'
  if (next) await queries.run(text, next.nextTick, next.nextAt, run.scheduleId, run.tick)
  return true
}
