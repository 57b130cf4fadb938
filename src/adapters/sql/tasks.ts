// Reads the tasks of a job with their attempts, and stores rejected rows and further keys of tasks.
import type { KeptArtifact } from '../../model/policy/rendering.ts'
import type { Attempt, Task } from '../../model/task.ts'
import type { FailedTask, RejectedRow, TaskStore } from '../../ports/store.ts'
import { jobNumber } from './job-numbers.ts'
import { numberAt, one, rowsText, run, type Sql, type Steps } from './sql.ts'

type Shared = Pick<
  TaskStore,
  | 'get'
  | 'find'
  | 'list'
  | 'failed'
  | 'attempts'
  | 'attemptsOf'
  | 'rawKeys'
  | 'rejected'
  | 'alias'
  | 'nextWake'
>

export const sharedTasks = (sql: Sql): Shared => ({
  ...tasksOf(sql),
  ...attemptsIn(sql),
  rejected: rejectedRows(sql),
  alias: aliases(sql),

  async nextWake(jobId) {
    const row = await sql.one<{ not_before: number }>(
      `SELECT not_before FROM tasks WHERE state = ${sql.states(['pending'])} AND not_before > 0
         AND (CAST($1 AS text) IS NULL OR job_no = ${numberAt('$1')}) ORDER BY not_before LIMIT 1`,
      jobId ?? null,
    )
    return row?.not_before ?? null
  },
})

type TaskRow<Read extends Task> = Omit<Read, 'jobId'>

function tasksOf(sql: Sql): Pick<Shared, 'get' | 'find' | 'list' | 'failed'> {
  const columns = `t.n, ${sql.kind('t.kind')} AS kind, t.url, ${sql.word('t.host')} AS host, t.depth, t.priority, t.parent,
    t.input, t.item_id AS "itemId", t.policy, ${sql.state('t.state')} AS state, t.attempt, t.charged,
    nullif(${sql.word('t.reason')}, '') AS reason, t.message, t.not_before AS "notBefore", t.duplicate_of AS "duplicateOf",
    ${sql.way('t.way')} AS way, t.way_why AS "wayWhy"`
  const tasks = `SELECT ${columns} FROM tasks t`
  return {
    async get(jobId, n) {
      const row = await sql.one<TaskRow<Task>>(
        `${tasks} WHERE t.job_no = ${numberAt('$1')} AND t.n = $2`,
        jobId,
        n,
      )
      return row && taskOf(jobId, row)
    },

    async find(jobId, key) {
      const row = await sql.one<TaskRow<Task>>(
        `${tasks} JOIN seen s ON s.job_no = t.job_no AND s.n = t.n
         WHERE s.job_no = ${numberAt('$1')} AND s.space = 0 AND s.key = $2`,
        jobId,
        key,
      )
      return row && taskOf(jobId, row)
    },

    async list(jobId, { states, after = 0, limit = 1_000 } = {}) {
      if (states?.length === 0) return []
      const inState = states ? `AND t.state IN (${sql.states(states)})` : ''
      const text = `${tasks} WHERE t.job_no = ${numberAt('$1')} AND t.n > $2 ${inState} ORDER BY t.n LIMIT $3`
      return (await sql.all<TaskRow<Task>>(text, jobId, after, limit)).map(row => taskOf(jobId, row))
    },

    async failed(jobId, { after, limit }) {
      const rows = await sql.all<TaskRow<FailedTask>>(
        `SELECT f.seq, ${columns} FROM failed_tasks f JOIN tasks t ON t.job_no = f.job_no AND t.n = f.n
         WHERE f.job_no = ${numberAt('$1')} AND f.seq > $2 ORDER BY f.seq LIMIT $3`,
        jobId,
        after,
        limit,
      )
      return rows.map(row => taskOf<FailedTask>(jobId, row))
    },
  }
}

function taskOf<Read extends Task>(jobId: string, { policy, ...row }: TaskRow<Read>): Read {
  return { jobId, ...row, ...(policy !== null && { policy }) } as unknown as Read
}

interface AttemptRow extends Omit<Attempt, 'raw' | 'artifacts'> {
  rawKey: string | null
  rawOffset: number
  rawLength: number
  artifacts: string | null
}

function attemptsIn(sql: Sql): Pick<Shared, 'attempts' | 'attemptsOf' | 'rawKeys'> {
  const columns = `attempt, started_at AS "startedAt", ended_at AS "endedAt", ${sql.word('outcome')} AS outcome, message,
    status, ${sql.word('worker')} AS worker, ${sql.word('proxy')} AS proxy, bytes, ${sql.word('raw_key')} AS "rawKey",
    raw_offset AS "rawOffset", raw_length AS "rawLength", ${sql.way('way')} AS way, artifacts, read_ms AS "readMs",
    store_ms AS "storeMs"`
  const ofJob = `FROM attempts WHERE job_no = ${numberAt('$1')}`
  return {
    async attempts(jobId, n) {
      const text = `SELECT ${columns} ${ofJob} AND n = $2 ORDER BY attempt`
      return (await sql.all<AttemptRow>(text, jobId, n)).map(attemptOf)
    },

    async attemptsOf(jobId, numbers) {
      const text = `SELECT n, ${columns} ${ofJob} AND ${sql.among('n', '$2', 'bigint')} ORDER BY n, attempt`
      const byTask = Map.groupBy(
        await sql.all<AttemptRow & { n: number }>(text, jobId, numbers),
        ({ n }) => n,
      )
      return new Map([...byTask].map(([n, own]) => [n, own.map(({ n, ...row }) => attemptOf(row))]))
    },

    async rawKeys(jobId) {
      const text = `SELECT ${sql.word('raw_key')} AS key FROM (SELECT DISTINCT raw_key ${ofJob} AND raw_key IS NOT NULL) keys`
      return (await sql.all<{ key: string }>(text, jobId)).map(({ key }) => key)
    },
  }
}

function attemptOf({
  rawKey: key,
  rawOffset: offset,
  rawLength: length,
  artifacts,
  ...row
}: AttemptRow): Attempt {
  return {
    ...row,
    raw: key === null ? null : { key, offset, length },
    artifacts: artifacts === null ? [] : (JSON.parse(artifacts) as KeptArtifact[]),
  }
}

/** The attempt of a worker that lost its lease. */
export const lostAttempt = (
  { attempt, owner, leasedAt, way }: Pick<Attempt, 'attempt' | 'way'> & { owner: string; leasedAt: number },
  now: number,
): Attempt => ({
  attempt,
  startedAt: leasedAt,
  endedAt: now,
  outcome: 'lease.lost',
  message: `${owner} did not finish the task`,
  status: null,
  worker: owner,
  proxy: null,
  bytes: 0,
  raw: null,
  way,
  artifacts: [],
  readMs: null,
  storeMs: null,
})

/** Stores each rejected row once, even if the source is read again. */
export function* rejectRows(sql: Sql, jobNo: number, rows: readonly RejectedRow[]): Steps<void> {
  if (rows.length === 0) return
  const given = sql.rows('$2', 'r', { row: 'bigint', text: 'text', reason: 'text' })
  const cut = rows.map(({ row, text, reason }) => ({ row, text: text.slice(0, 200), reason }))
  yield* run(
    `INSERT INTO rejected (job_no, row, text, reason) SELECT CAST($1 AS bigint), row, text, reason FROM ${given}
     WHERE true ON CONFLICT (job_no, row) DO UPDATE SET text = excluded.text, reason = excluded.reason`,
    jobNo,
    rowsText(cut),
  )
}

const rejectedRows =
  (sql: Sql): TaskStore['rejected'] =>
  (jobId, { after = 0, limit = 1_000 } = {}) =>
    sql.all<RejectedRow>(
      `SELECT row, text, reason FROM rejected
       WHERE job_no = ${numberAt('$1')} AND row > $2 ORDER BY row LIMIT $3`,
      jobId,
      after,
      limit,
    )

function aliases(sql: Sql): TaskStore['alias'] {
  return (jobId, key, n) =>
    sql.transaction(function* () {
      const jobNo = yield* jobNumber(jobId, sql.forUpdate)
      const enter =
        'INSERT INTO seen (job_no, space, key, n) VALUES ($1, 0, $2, $3) ON CONFLICT (job_no, space, key) DO NOTHING'
      if ((yield* run(enter, jobNo, key, n)) === 1) return null
      const holder = 'SELECT n FROM seen WHERE job_no = $1 AND space = 0 AND key = $2'
      const held = yield* one<{ n: number }>(holder, jobNo, key)
      return held!.n === n ? null : held!.n
    }, 'relaxed')
}
