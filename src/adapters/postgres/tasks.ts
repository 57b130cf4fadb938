// The tasks of a job: adds, finds and lists them. State changes are in leases.ts and bulk-moves.ts.

import type { TaskWay } from '../../model/policy/way.ts'
import type { Reason, Task, TaskKind, TaskState } from '../../model/task.ts'
import type { RejectedRow, TaskStore } from '../../ports/store.ts'
import { bulkMoves } from '../sql/bulk-moves.ts'
import { jobNumber } from '../sql/job-numbers.ts'
import type { Sql } from '../sql/sql.ts'
import { unknownJob } from '../store-failures.ts'
import { addTasks } from './add-tasks.ts'
import { readAttempts, readAttemptsOf, readRawKeys } from './attempts.ts'
import type { Database, Queries } from './database.ts'
import { drive } from './dialect.ts'
import { jobWriter, type LockedJob, lockJobs, writeJobs } from './job-changes.ts'
import { taskLeases } from './leases.ts'
import { rowsTable } from './rows.ts'
import { inShard, shardValues } from './shards.ts'

interface TaskRow {
  n: number
  host: string
  kind: TaskKind
  depth: number
  priority: number
  state: TaskState
  reason: Reason | null
  attempt: number
  charged: number
  not_before: number
  parent: number | null
  duplicate_of: number | null
  url: string
  input: string | null
  item_id: string | null
  policy: string | null
  message: string | null
  way: TaskWay
  way_why: string | null
}

export function taskStore(database: Database, sql: Sql, now: () => number): TaskStore {
  return {
    ...adding(database),
    ...rejecting(database),
    ...reading(database),
    ...taskLeases(database, now),
    ...bulkMoves(sql, jobWriter(database)),
  }
}

async function heldJob(queries: Queries, jobId: string): Promise<LockedJob> {
  const job = (await lockJobs(queries, [jobId])).get(jobId)
  if (!job) throw unknownJob(jobId)
  return job
}

function adding(database: Database): Pick<TaskStore, 'add' | 'alias'> {
  return {
    add: (jobId, tasks, progress) =>
      writeJobs(database, async (queries, changes) => {
        const job = await heldJob(queries, jobId)
        const result = await addTasks(queries, job, tasks, changes)
        if (!progress) return result
        // The caller does not know the duplicates of this batch yet, so they are added here.
        const ingest = { ...progress, duplicates: progress.duplicates + result.duplicates }
        await queries.run('UPDATE jobs SET ingest = $1 WHERE job_no = $2', JSON.stringify(ingest), job.jobNo)
        return result
      }),

    alias: (jobId, key, n) =>
      database.transaction(async queries => {
        const { jobNo } = await heldJob(queries, jobId)
        const enter =
          'INSERT INTO seen (job_no, space, key, n) VALUES ($1, 0, $2, $3) ON CONFLICT (job_no, space, key) DO NOTHING'
        if ((await queries.run(enter, jobNo, key, n)) === 1) return null
        const holder = 'SELECT n FROM seen WHERE job_no = $1 AND space = 0 AND key = $2'
        const held = await queries.one<{ n: number }>(holder, jobNo, key)
        return held!.n === n ? null : held!.n
      }),
  }
}

function rejecting(database: Database): Pick<TaskStore, 'reject' | 'rejected'> {
  return {
    async reject(jobId, rows) {
      const jobNo = await drive(database, jobNumber(jobId))
      const cut = rows.map(({ row, text, reason }) => ({ row, text: text.slice(0, 200), reason }))
      // A killed ingest repeats some rows. The conflict clause stores each rejected row once.
      const table = rowsTable('r', { row: 'bigint', text: 'text', reason: 'text' }, cut, 2)
      await database.run(
        `INSERT INTO rejected (job_no, row, text, reason) SELECT $1, row, text, reason FROM ${table.sql}
         ON CONFLICT (job_no, row) DO UPDATE SET text = excluded.text, reason = excluded.reason`,
        jobNo,
        ...table.values,
      )
    },

    rejected: (jobId, { after = 0, limit = 1_000 } = {}) =>
      database.all<RejectedRow & Record<string, unknown>>(
        `SELECT row, text, reason FROM rejected
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) AND row > $2 ORDER BY row LIMIT $3`,
        jobId,
        after,
        limit,
      ),
  }
}

type Reading = Pick<
  TaskStore,
  'get' | 'find' | 'list' | 'failed' | 'attempts' | 'attemptsOf' | 'rawKeys' | 'pendingHosts'
>

const ofJob = 'job_no = (SELECT job_no FROM jobs WHERE id = $1)'

function reading(database: Database): Reading {
  return {
    async get(jobId, n) {
      const row = await database.one<TaskRow>(`SELECT * FROM tasks WHERE ${ofJob} AND n = $2`, jobId, n)
      return row ? taskOf(jobId, row) : null
    },

    async find(jobId, key) {
      const row = await database.one<TaskRow>(
        `SELECT t.* FROM seen s JOIN tasks t ON t.job_no = s.job_no AND t.n = s.n
         WHERE s.${ofJob} AND s.space = 0 AND s.key = $2`,
        jobId,
        key,
      )
      return row ? taskOf(jobId, row) : null
    },

    async list(jobId, { states, after = 0, limit = 1_000 } = {}) {
      const rows = await database.all<TaskRow>(
        `SELECT * FROM tasks WHERE ${ofJob} AND n > $2 AND ($3::text[] IS NULL OR state = ANY($3)) ORDER BY n LIMIT $4`,
        jobId,
        after,
        states ?? null,
        limit,
      )
      return rows.map(row => taskOf(jobId, row))
    },

    async failed(jobId, { after, limit }) {
      const rows = await database.all<TaskRow & { seq: number }>(
        `SELECT f.seq, t.* FROM failed_tasks f JOIN tasks t ON t.job_no = f.job_no AND t.n = f.n
         WHERE f.${ofJob} AND f.seq > $2 ORDER BY f.seq LIMIT $3`,
        jobId,
        after,
        limit,
      )
      return rows.map(row => ({ ...taskOf(jobId, row), seq: row.seq }))
    },

    attempts: (jobId, n) => readAttempts(database, jobId, n),
    attemptsOf: (jobId, numbers) => readAttemptsOf(database, jobId, numbers),
    rawKeys: jobId => readRawKeys(database, jobId),

    pendingHosts: (jobId, shard) =>
      database.all<{ host: string; count: number }>(
        `SELECT host, count(*) AS count FROM tasks
         WHERE ${ofJob} AND state = 'pending' AND not_before = 0 GROUP BY host HAVING ${inShard}`,
        jobId,
        ...shardValues(shard),
      ),
  }
}

function taskOf(jobId: string, row: TaskRow): Task {
  const {
    n,
    kind,
    url,
    host,
    depth,
    priority,
    parent,
    input,
    state,
    attempt,
    charged,
    reason,
    message,
    way,
  } = row
  return {
    ...{
      jobId,
      n,
      kind,
      url,
      host,
      depth,
      priority,
      parent,
      input,
      state,
      attempt,
      charged,
      reason,
      message,
      way,
    },
    itemId: row.item_id,
    ...(row.policy !== null && { policy: row.policy }),
    notBefore: row.not_before,
    duplicateOf: row.duplicate_of,
    wayWhy: row.way_why,
  }
}
