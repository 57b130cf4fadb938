// The tasks of a job: adds, finds and lists them. State changes are in leases.ts and bulk-moves.ts.
import { isIn } from '../../lib/shard-of.ts'
import type { KeptArtifact } from '../../model/policy/rendering.ts'
import type { Attempt, Reason, Task } from '../../model/task.ts'
import type { RejectedRow, TaskStore } from '../../ports/store.ts'
import type { AddTasks } from './add-tasks.ts'
import { bulkMoves } from './bulk-moves.ts'
import { codeList, kindOf, spaces, stateOf, wayOf } from './codes.ts'
import { writeJobs } from './job-changes.ts'
import { findJobNumber, jobNumber } from './job-numbers.ts'
import { taskLeases } from './leases.ts'
import { type Names, noName } from './names.ts'
import type { Parts } from './parts.ts'

interface TaskRow {
  n: number
  host: number
  kind: number
  depth: number
  priority: number
  state: number
  reason: number
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
  way: number
  way_why: string | null
}

interface AttemptRow {
  attempt: number
  started_at: number
  ended_at: number
  outcome: number
  status: number | null
  bytes: number
  worker: number
  proxy: number | null
  raw_key: number | null
  raw_offset: number
  raw_length: number
  message: string | null
  way: number
  artifacts: string | null
  read_ms: number | null
  store_ms: number | null
}

export function taskStore(parts: Parts, addTasks: AddTasks): TaskStore {
  return {
    ...adding(parts, addTasks),
    ...rejecting(parts),
    ...reading(parts),
    ...taskLeases(parts),
    ...bulkMoves(parts),
  }
}

function adding({ connection }: Parts, addTasks: AddTasks): Pick<TaskStore, 'add' | 'alias'> {
  return {
    async add(jobId, tasks, progress) {
      return writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        const result = addTasks(jobNo, tasks, changes)
        if (!progress) return result
        // The caller does not know the duplicates of this batch yet, so they are added here.
        const ingest = { ...progress, duplicates: progress.duplicates + result.duplicates }
        connection.run('UPDATE jobs SET ingest = ? WHERE job_no = ?', JSON.stringify(ingest), jobNo)
        return result
      })
    },

    async alias(jobId, key, n) {
      return connection.write(() => {
        const jobNo = jobNumber(connection, jobId)
        const enter = 'INSERT INTO seen (job_no, space, key, n) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
        if (connection.run(enter, jobNo, spaces.name, key, n) === 1) return null
        const holder = 'SELECT n FROM seen WHERE job_no = ? AND space = ? AND key = ?'
        const held = connection.one<{ n: number }>(holder, jobNo, spaces.name, key)!
        return held.n === n ? null : held.n
      }, 'relaxed')
    },
  }
}

function rejecting({ connection }: Parts): Pick<TaskStore, 'reject' | 'rejected'> {
  return {
    async reject(jobId, rows) {
      connection.write(() => {
        const jobNo = jobNumber(connection, jobId)
        // A killed ingest repeats some rows, so a rejected row may already be stored.
        const text = 'INSERT OR REPLACE INTO rejected (job_no, row, text, reason) VALUES (?, ?, ?, ?)'
        for (const { row, text: cell, reason } of rows)
          connection.run(text, jobNo, row, cell.slice(0, 200), reason)
      })
    },

    async rejected(jobId, { after = 0, limit = 1_000 } = {}) {
      const rows = connection.all<RejectedRow>(
        `SELECT row, text, reason FROM rejected
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?) AND row > ? ORDER BY row LIMIT ?`,
        jobId,
        after,
        limit,
      )
      return rows.map(({ row, text, reason }) => ({ row, text, reason }))
    },
  }
}

type Reading = Pick<
  TaskStore,
  'get' | 'find' | 'list' | 'failed' | 'attempts' | 'attemptsOf' | 'rawKeys' | 'pendingHosts'
>

function reading({ connection, names }: Parts): Reading {
  const ofJob = 'job_no = (SELECT job_no FROM jobs WHERE id = ?)'
  return {
    async get(jobId, n) {
      const row = connection.one<TaskRow>(`SELECT * FROM tasks WHERE ${ofJob} AND n = ?`, jobId, n)
      return row ? taskOf(jobId, row, names) : null
    },

    async find(jobId, key) {
      const jobNo = findJobNumber(connection, jobId)
      const row = connection.one<TaskRow>(
        `SELECT t.* FROM seen s JOIN tasks t ON t.job_no = s.job_no AND t.n = s.n
         WHERE s.job_no = ? AND s.space = 0 AND s.key = ?`,
        jobNo,
        key,
      )
      return row ? taskOf(jobId, row, names) : null
    },

    async list(jobId, { states, after = 0, limit = 1_000 } = {}) {
      const inState = states ? `AND state IN (${codeList(states)})` : ''
      const text = `SELECT * FROM tasks WHERE ${ofJob} AND n > ? ${inState} ORDER BY n LIMIT ?`
      return connection.all<TaskRow>(text, jobId, after, limit).map(row => taskOf(jobId, row, names))
    },

    async failed(jobId, { after, limit }) {
      const rows = connection.all<TaskRow & { seq: number }>(
        `SELECT f.seq, t.* FROM failed_tasks f JOIN tasks t ON t.job_no = f.job_no AND t.n = f.n
         WHERE f.job_no = (SELECT job_no FROM jobs WHERE id = ?) AND f.seq > ? ORDER BY f.seq LIMIT ?`,
        jobId,
        after,
        limit,
      )
      return rows.map(row => ({ ...taskOf(jobId, row, names), seq: row.seq }))
    },

    async attempts(jobId, n) {
      const text = `SELECT * FROM attempts WHERE ${ofJob} AND n = ? ORDER BY attempt`
      return connection.all<AttemptRow>(text, jobId, n).map(row => attemptOf(row, names))
    },

    async attemptsOf(jobId, numbers) {
      const rows = connection.all<AttemptRow & { n: number }>(
        `SELECT * FROM attempts WHERE ${ofJob} AND n IN (SELECT value FROM json_each(?)) ORDER BY n, attempt`,
        jobId,
        JSON.stringify(numbers),
      )
      const byTask = Map.groupBy(rows, ({ n }) => n)
      return new Map([...byTask].map(([n, own]) => [n, own.map(row => attemptOf(row, names))]))
    },

    async rawKeys(jobId) {
      const rows = connection.all<{ raw_key: number }>(
        `SELECT DISTINCT raw_key FROM attempts WHERE ${ofJob} AND raw_key IS NOT NULL`,
        jobId,
      )
      return rows.map(row => names.textOf(row.raw_key))
    },

    async pendingHosts(jobId, shard) {
      const rows = connection.all<{ host: number; count: number }>(
        `SELECT host, count(*) AS count FROM tasks
         WHERE ${ofJob} AND state = 2 AND not_before = 0 GROUP BY host`,
        jobId,
      )
      return rows
        .map(({ host, count }) => ({ host: names.textOf(host), count }))
        .filter(({ host }) => isIn(shard, host))
    },
  }
}

function taskOf(jobId: string, row: TaskRow, names: Names): Task {
  return {
    jobId,
    n: row.n,
    kind: kindOf(row.kind),
    url: row.url,
    host: names.textOf(row.host),
    depth: row.depth,
    priority: row.priority,
    parent: row.parent,
    input: row.input,
    itemId: row.item_id,
    ...(row.policy !== null && { policy: row.policy }),
    state: stateOf(row.state),
    attempt: row.attempt,
    charged: row.charged,
    reason: row.reason === noName ? null : (names.textOf(row.reason) as Reason),
    message: row.message,
    notBefore: row.not_before,
    duplicateOf: row.duplicate_of,
    way: wayOf(row.way),
    wayWhy: row.way_why,
  }
}

function attemptOf(row: AttemptRow, names: Names): Attempt {
  const { raw_key: key, raw_offset: offset, raw_length: length } = row
  return {
    attempt: row.attempt,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: names.textOf(row.outcome) as Reason,
    message: row.message,
    status: row.status,
    worker: names.textOf(row.worker),
    proxy: row.proxy === null ? null : names.textOf(row.proxy),
    bytes: row.bytes,
    raw: key === null ? null : { key: names.textOf(key), offset, length },
    way: wayOf(row.way),
    artifacts: row.artifacts === null ? [] : (JSON.parse(row.artifacts) as KeptArtifact[]),
    readMs: row.read_ms,
    storeMs: row.store_ms,
  }
}
