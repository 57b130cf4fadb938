// Schedules and their runs. Each tick has at most one run.
import { openStates } from '../../model/job.ts'
import type { NextTick, Schedule, ScheduleRun } from '../../model/schedule.ts'
import type { ScheduleStore } from '../../ports/service-stores.ts'
import { scheduleExists } from '../store-failures.ts'
import { pageOf } from './pages.ts'
import { one, run, type Sql, type Steps } from './sql.ts'
import { findAll, findOne, type StoredRow, stored } from './stored.ts'

const schedules = stored<Schedule>('schedules', {
  id: 'plain',
  workspace: 'plain',
  name: 'plain',
  cron: 'plain',
  timeZone: 'plain',
  job: 'json',
  overlap: 'plain',
  jitterMs: 'plain',
  paused: 'flag',
  keyId: 'plain',
  createdAt: 'plain',
  nextTick: 'plain',
  nextAt: 'plain',
})

const runs = stored<ScheduleRun>(
  'schedule_runs',
  {
    scheduleId: 'plain',
    tick: 'plain',
    at: 'plain',
    outcome: 'plain',
    jobId: 'plain',
    reason: 'plain',
    catchUp: 'flag',
  },
  2,
)

export function scheduleStore(sql: Sql): ScheduleStore {
  return { ...managing(sql), ...ticking(sql) }
}

type Managing = Pick<ScheduleStore, 'create' | 'get' | 'list' | 'update' | 'delete'>

function managing(sql: Sql): Managing {
  return {
    async create(schedule) {
      const text = `${schedules.insert} ON CONFLICT (id) DO NOTHING`
      if ((await sql.run(text, ...schedules.values(schedule))) === 0) throw scheduleExists(schedule.id)
    },

    get: scheduleId => findOne(sql, schedules, 'WHERE id = $1', scheduleId),
    list: (page = {}) => pageOf(sql, schedules, page),

    update: (scheduleId, change) =>
      sql.transaction(function* () {
        const held = `${schedules.select} WHERE id = $1 ${sql.forUpdate}`
        const row = yield* one<StoredRow<Schedule>>(held, scheduleId)
        if (!row) return null
        const changed = { ...schedules.from(row), ...change }
        yield* run(schedules.update, ...schedules.values(changed))
        return changed
      }),

    delete: scheduleId =>
      sql.transaction(function* () {
        yield* run('DELETE FROM schedule_runs WHERE schedule_id = $1', scheduleId)
        return (yield* run('DELETE FROM schedules WHERE id = $1', scheduleId)) === 1
      }),
  }
}

/** Queued runs whose schedule does not wait for an earlier job. Without this condition, runs that wait for one long job
 *  would fill the list, and runs of other schedules would never start. */
const startable = `WHERE outcome = 'queued' AND NOT EXISTS (
    SELECT 1 FROM schedules s JOIN jobs j ON j.schedule_id = s.id
    WHERE s.id = schedule_runs.schedule_id AND s.overlap IN ('skip', 'queue')
      AND j.state IN (${[...openStates].map(state => `'${state}'`).join(', ')}))
  ORDER BY tick LIMIT $1`

type Ticking = Pick<ScheduleStore, 'due' | 'enterRun' | 'runs'>

function ticking(sql: Sql): Ticking {
  const isWaiting = `${sql.isFalse('paused')} AND next_at IS NOT NULL`
  const nextText = `SELECT (SELECT min(next_at) FROM schedules WHERE ${isWaiting}) AS at,
    EXISTS (SELECT 1 FROM schedule_runs WHERE outcome = 'queued') AS waits`
  return {
    async due(now, limit) {
      const { at, waits } = (await sql.one<{ at: number | null; waits: number | boolean }>(nextText))!
      if (!waits && (at === null || at > now)) return { schedules: [], queued: [], nextAt: at }
      const due = `WHERE ${isWaiting} AND next_at <= $1 ORDER BY next_at, no LIMIT $2`
      return {
        schedules: await findAll(sql, schedules, due, now, limit),
        queued: await findAll(sql, runs, startable, limit),
        nextAt: at,
      }
    },

    enterRun: (run, next) => sql.transaction(() => enterTick(run, next)),

    runs(scheduleId, { limit = 100, before = Number.MAX_SAFE_INTEGER, outcome } = {}) {
      const clause = 'WHERE schedule_id = $1 AND tick < $2'
      const order = 'ORDER BY tick DESC LIMIT $3'
      return outcome === undefined
        ? findAll(sql, runs, `${clause} ${order}`, scheduleId, before, limit)
        : findAll(sql, runs, `${clause} AND outcome = $4 ${order}`, scheduleId, before, limit, outcome)
    },
  }
}

/** Stores the run of a tick. Returns false and changes nothing if the tick already has a run that is not queued. */
export function* enterTick(scheduleRun: ScheduleRun, next?: NextTick): Steps<boolean> {
  const entered = yield* run(
    `${runs.upsert} WHERE schedule_runs.outcome = 'queued'`,
    ...runs.values(scheduleRun),
  )
  if (entered === 0) return false
  // Changes `next_tick` only if it still is this tick: the times of the schedule may have changed meanwhile.
  const text = 'UPDATE schedules SET next_tick = $1, next_at = $2 WHERE id = $3 AND next_tick = $4'
  if (next) yield* run(text, next.nextTick, next.nextAt, scheduleRun.scheduleId, scheduleRun.tick)
  return true
}
