// Schedules and their runs. Each tick has at most one run.
import type { NextTick, Overlap, Schedule, ScheduleRun } from '../../model/schedule.ts'
import type { ScheduleStore } from '../../ports/service-stores.ts'
import { scheduleExists } from '../store-failures.ts'
import { pageOf } from './pages.ts'
import { one, run, type Sql, type SqlValue, type Steps } from './sql.ts'

interface ScheduleRow {
  id: string
  workspace: string
  name: string
  cron: string
  time_zone: string
  job: string
  overlap: Overlap
  jitter_ms: number
  paused: number | boolean
  key_id: string | null
  created_at: number
  next_tick: number | null
  next_at: number | null
}

interface RunRow {
  schedule_id: string
  tick: number
  at: number
  outcome: ScheduleRun['outcome']
  job_id: string | null
  reason: string | null
  catch_up: number | boolean
}

const scheduleOf = (row: ScheduleRow): Schedule => ({
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

const runOf = (row: RunRow): ScheduleRun => ({
  scheduleId: row.schedule_id,
  tick: row.tick,
  at: row.at,
  outcome: row.outcome,
  jobId: row.job_id,
  reason: row.reason,
  catchUp: Boolean(row.catch_up),
})

export function scheduleStore(sql: Sql): ScheduleStore {
  return { ...managing(sql), ...ticking(sql) }
}

type Managing = Pick<ScheduleStore, 'create' | 'get' | 'list' | 'update' | 'delete'>

function managing(sql: Sql): Managing {
  return {
    async create(schedule) {
      const { workspace, createdAt } = schedule
      const text = `INSERT INTO schedules (id, name, cron, time_zone, job, overlap, jitter_ms, paused, next_tick, next_at, key_id,
          workspace, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING`
      const entered = await sql.run(text, ...changeable(schedule), workspace, createdAt)
      if (entered === 0) throw scheduleExists(schedule.id)
    },

    async get(scheduleId) {
      const row = await sql.one<ScheduleRow>('SELECT * FROM schedules WHERE id = $1', scheduleId)
      return row && scheduleOf(row)
    },

    list: async (page = {}) => (await pageOf<ScheduleRow>(sql, 'schedules', page)).map(scheduleOf),

    update: (scheduleId, change) =>
      sql.transaction(function* () {
        const held = `SELECT * FROM schedules WHERE id = $1 ${sql.forUpdate}`
        const row = yield* one<ScheduleRow>(held, scheduleId)
        if (!row) return null
        const changed = { ...scheduleOf(row), ...change }
        yield* run(
          `UPDATE schedules SET name = $2, cron = $3, time_zone = $4, job = $5, overlap = $6, jitter_ms = $7, paused = $8,
             next_tick = $9, next_at = $10, key_id = $11 WHERE id = $1`,
          ...changeable(changed),
        )
        return changed
      }),

    delete: scheduleId =>
      sql.transaction(function* () {
        yield* run('DELETE FROM schedule_runs WHERE schedule_id = $1', scheduleId)
        return (yield* run('DELETE FROM schedules WHERE id = $1', scheduleId)) === 1
      }),
  }
}

/** Values of the columns that may change, in the order of the statements. */
const changeable = (schedule: Schedule): SqlValue[] => [
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

type Ticking = Pick<ScheduleStore, 'due' | 'enterRun' | 'runs'>

function ticking(sql: Sql): Ticking {
  const isWaiting = `${sql.isFalse('paused')} AND next_at IS NOT NULL`
  const nextText = `SELECT (SELECT min(next_at) FROM schedules WHERE ${isWaiting}) AS at,
    EXISTS (SELECT 1 FROM schedule_runs WHERE outcome = 'queued') AS waits`
  return {
    async due(now, limit) {
      const { at, waits } = (await sql.one<{ at: number | null; waits: number | boolean }>(nextText))!
      if (!waits && (at === null || at > now)) return { schedules: [], queued: [], nextAt: at }
      const due = `SELECT * FROM schedules WHERE ${isWaiting} AND next_at <= $1 ORDER BY next_at, no LIMIT $2`
      const queued = `SELECT * FROM schedule_runs WHERE outcome = 'queued' ORDER BY tick LIMIT $1`
      return {
        schedules: (await sql.all<ScheduleRow>(due, now, limit)).map(scheduleOf),
        queued: (await sql.all<RunRow>(queued, limit)).map(runOf),
        nextAt: at,
      }
    },

    enterRun: (run, next) => sql.transaction(() => enterTick(run, next)),

    async runs(scheduleId, { limit = 100, before = Number.MAX_SAFE_INTEGER } = {}) {
      const text =
        'SELECT * FROM schedule_runs WHERE schedule_id = $1 AND tick < $2 ORDER BY tick DESC LIMIT $3'
      return (await sql.all<RunRow>(text, scheduleId, before, limit)).map(runOf)
    },
  }
}

/** Stores the run of a tick. Returns false and changes nothing if the tick already has a run that is not queued. */
export function* enterTick(
  { scheduleId, tick, at, outcome, jobId, reason, catchUp }: ScheduleRun,
  next?: NextTick,
): Steps<boolean> {
  const entered = yield* run(
    `INSERT INTO schedule_runs (schedule_id, tick, at, outcome, job_id, reason, catch_up)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (schedule_id, tick) DO UPDATE SET at = excluded.at,
       outcome = excluded.outcome, job_id = excluded.job_id, reason = excluded.reason, catch_up = excluded.catch_up
     WHERE schedule_runs.outcome = 'queued'`,
    ...[scheduleId, tick, at, outcome, jobId, reason, catchUp],
  )
  if (entered === 0) return false
  // Changes `next_tick` only if it still is this tick: the times of the schedule may have changed meanwhile.
  const text = 'UPDATE schedules SET next_tick = $1, next_at = $2 WHERE id = $3 AND next_tick = $4'
  if (next) yield* run(text, next.nextTick, next.nextAt, scheduleId, tick)
  return true
}
