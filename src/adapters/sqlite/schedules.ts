// Schedules, and the runs of each: one for every tick, ever.
import type { NextTick, Schedule, ScheduleRun } from '../../model/schedule.ts'
import type { ScheduleStore } from '../../ports/service-stores.ts'
import { type RunRow, runOf, type ScheduleRow, scheduleOf } from '../rows/schedule-rows.ts'
import { scheduleExists } from '../store-failures.ts'
import type { Connection } from './connection.ts'
import { rowBefore } from './pages.ts'
import type { Parts } from './parts.ts'

export function scheduleStore({ connection }: Parts): ScheduleStore {
  return { ...rows(connection), ...ticking(connection) }
}

type ScheduleRows = Pick<ScheduleStore, 'create' | 'get' | 'list' | 'update' | 'delete'>

function rows(connection: Connection): ScheduleRows {
  const find = (scheduleId: string): Schedule | null => {
    const row = connection.one<ScheduleRow>('SELECT * FROM schedules WHERE id = ?', scheduleId)
    return row ? scheduleOf(row) : null
  }
  return {
    async create(schedule) {
      connection.write(() => {
        if (find(schedule.id)) throw scheduleExists(schedule.id)
        insert(connection, schedule)
      })
    },

    get: async scheduleId => find(scheduleId),

    async list({ workspace, limit = 100, cursor } = {}) {
      const rows = connection.all<ScheduleRow>(
        `SELECT * FROM schedules WHERE no < ?1 AND (?2 IS NULL OR workspace = ?2) ORDER BY no DESC LIMIT ?3`,
        rowBefore(connection, 'schedules', cursor),
        workspace ?? null,
        limit,
      )
      return rows.map(scheduleOf)
    },

    async update(scheduleId, change) {
      return connection.write(() => {
        const known = find(scheduleId)
        if (!known) return null
        const changed = { ...known, ...change }
        save(connection, changed)
        return changed
      })
    },

    async delete(scheduleId) {
      return connection.write(() => {
        connection.run('DELETE FROM schedule_runs WHERE schedule_id = ?', scheduleId)
        return connection.run('DELETE FROM schedules WHERE id = ?', scheduleId) === 1
      })
    },
  }
}

function insert(connection: Connection, schedule: Schedule): void {
  connection.run(
    `INSERT INTO schedules (id, workspace, created_at, name, cron, time_zone, job, overlap, jitter_ms, paused)
     VALUES (?, ?, ?, '', '', '', '', '', 0, 0)`,
    schedule.id,
    schedule.workspace,
    schedule.createdAt,
  )
  save(connection, schedule)
}

function save(connection: Connection, schedule: Schedule): void {
  connection.run(
    `UPDATE schedules SET name = ?, cron = ?, time_zone = ?, job = ?, overlap = ?, jitter_ms = ?, paused = ?,
       key_id = ?, next_tick = ?, next_at = ? WHERE id = ?`,
    schedule.name,
    schedule.cron,
    schedule.timeZone,
    JSON.stringify(schedule.job),
    schedule.overlap,
    schedule.jitterMs,
    Number(schedule.paused),
    schedule.keyId,
    schedule.nextTick,
    schedule.nextAt,
    schedule.id,
  )
}

type Ticking = Pick<ScheduleStore, 'due' | 'nextDue' | 'enterRun' | 'queued' | 'runs'>

const isWaiting = 'paused = 0 AND next_at IS NOT NULL'

function ticking(connection: Connection): Ticking {
  return {
    async due(now, limit) {
      const text = `SELECT * FROM schedules WHERE ${isWaiting} AND next_at <= ? ORDER BY next_at, no LIMIT ?`
      return connection.all<ScheduleRow>(text, now, limit).map(scheduleOf)
    },

    async nextDue() {
      const text = `SELECT (SELECT min(next_at) FROM schedules WHERE ${isWaiting}) AS at,
        EXISTS (SELECT 1 FROM schedule_runs WHERE outcome = 'queued') AS waits`
      const { at, waits } = connection.one<{ at: number | null; waits: number }>(text)!
      return { at, runsWait: waits === 1 }
    },

    enterRun: async (run, next) => connection.write(() => enterTick(connection, run, next)),

    async queued(limit) {
      const text = `SELECT * FROM schedule_runs WHERE outcome = 'queued' ORDER BY tick LIMIT ?`
      return connection.all<RunRow>(text, limit).map(runOf)
    },

    async runs(scheduleId, { limit = 100, before = Number.MAX_SAFE_INTEGER } = {}) {
      const text = 'SELECT * FROM schedule_runs WHERE schedule_id = ? AND tick < ? ORDER BY tick DESC LIMIT ?'
      return connection.all<RunRow>(text, scheduleId, before, limit).map(runOf)
    },
  }
}

/** In a write. False, without a change, if the tick already has a run that is not queued. */
export function enterTick(connection: Connection, run: ScheduleRun, next?: NextTick): boolean {
  const entered = connection.run(
    `INSERT INTO schedule_runs (schedule_id, tick, at, outcome, job_id, reason, catch_up)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at, outcome = excluded.outcome,
       job_id = excluded.job_id, reason = excluded.reason, catch_up = excluded.catch_up
     WHERE schedule_runs.outcome = 'queued'`,
    run.scheduleId,
    run.tick,
    run.at,
    run.outcome,
    run.jobId,
    run.reason,
    Number(run.catchUp),
  )
  if (entered === 0) return false
  // Unless the times changed meanwhile and the next tick is another one.
  const text = 'UPDATE schedules SET next_tick = ?, next_at = ? WHERE id = ? AND next_tick = ?'
  if (next) connection.run(text, next.nextTick, next.nextAt, run.scheduleId, run.tick)
  return true
}
