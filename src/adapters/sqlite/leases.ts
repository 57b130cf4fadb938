// Leases of tasks: claims, releases and extends them, recovers lost ones, and wakes waiting tasks.

import { isIn } from '../../lib/shard-of.ts'
import type { LeasedTask, TaskState } from '../../model/task.ts'
import type { ClaimRequest, TaskStore } from '../../ports/store.ts'
import { lostAttempt } from '../sql/tasks.ts'
import { nothing } from '../step-counter.ts'
import { kindOf, stateCodes, stateOf, wayOf } from './codes.ts'
import { attemptKeeper } from './commit.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { jobIdLookup, jobLookup } from './job-numbers.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'

type Leases = Pick<TaskStore, 'claim' | 'release' | 'extend' | 'reclaim' | 'wake'>
type Lease = Parameters<TaskStore['claim']>[1]

interface RunnableRow {
  n: number
  attempt: number
  charged: number
  kind: number
  url: string
  depth: number
  priority: number
  input: string | null
  item_id: string | null
  policy: string | null
  way: number
  way_why: string | null
}

interface LostRow {
  job_no: number
  n: number
  attempt: number
  owner: number
  state: number
  leased_at: number
  deaths: number
  host: number
  way: number
}

export function taskLeases(parts: Parts): Leases {
  return { ...handing(parts), ...reclaiming(parts), ...waking(parts) }
}

function handing(parts: Parts): Pick<Leases, 'claim' | 'release' | 'extend'> {
  const { connection, names, clock } = parts
  const runnable = connection.prepare(
    `SELECT n, attempt, charged, kind, url, depth, priority, input, item_id, policy, way, way_why FROM tasks
     WHERE job_no = ? AND host = ? AND state = 2 AND not_before = 0 ORDER BY priority, n LIMIT ?`,
  )
  const hold = connection.prepare(
    `INSERT INTO leases (job_no, n, attempt, owner, state, kind, leased_at, lease_until)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const markHeld = connection.prepare('UPDATE tasks SET state = ?, attempt = ? WHERE job_no = ? AND n = ?')
  const giveBack = connection.prepare(
    'DELETE FROM leases WHERE job_no = ? AND n = ? AND attempt = ? AND owner = ? RETURNING state',
  )
  const markPending = connection.prepare('UPDATE tasks SET state = 2 WHERE job_no = ? AND n = ?')

  function claimFrom(jobNo: number, claim: ClaimRequest, lease: Lease, changes: JobChanges): LeasedTask[] {
    const hostNo = names.find(claim.host)
    if (hostNo === null || claim.limit <= 0) return []
    const rows = runnable.all(jobNo, hostNo, claim.limit) as unknown as RunnableRow[]
    const owner = names.idOf(lease.owner)
    const state = stateCodes[lease.state]
    const now = clock.now()
    for (const row of rows) {
      row.attempt += 1
      markHeld.run(state, row.attempt, jobNo, row.n)
      hold.run(jobNo, row.n, row.attempt, owner, state, row.kind, now, lease.untilMs)
    }
    changes.countMove(jobNo, 'pending', lease.state, rows.length)
    return rows.map(row => leasedTask(claim, row))
  }

  return {
    async claim(claims, lease) {
      return writeJobs(
        connection,
        changes => {
          const numberOf = jobLookup(connection)
          return claims.flatMap(claim => {
            const jobNo = numberOf(claim.jobId)
            return jobNo === null ? [] : claimFrom(jobNo, claim, lease, changes)
          })
        },
        'relaxed',
      )
    },

    async release(owner, tasks) {
      const release = (changes: JobChanges) => {
        const ownerNo = names.idOf(owner)
        const numberOf = jobLookup(connection)
        for (const { jobId, n, attempt } of tasks) {
          const jobNo = numberOf(jobId)
          const [held] = jobNo === null ? [] : giveBack.all(jobNo, n, attempt, ownerNo)
          if (jobNo === null || !held) continue
          markPending.run(jobNo, n)
          changes.countMove(jobNo, stateOf(held.state as number), 'pending')
        }
      }
      writeJobs(connection, release, 'relaxed')
    },

    async extend(owner, untilMs) {
      const ownerNo = names.find(owner)
      const text = 'UPDATE leases SET lease_until = max(lease_until, ?) WHERE owner = ?'
      if (ownerNo !== null) connection.write(() => connection.run(text, untilMs, ownerNo), 'relaxed')
    },
  }
}

function leasedTask({ jobId, host }: ClaimRequest, row: RunnableRow): LeasedTask {
  const { n, attempt, charged, url, depth, priority, input, policy } = row
  return {
    ...{ jobId, n, attempt, charged, url, host, depth, priority, input },
    kind: kindOf(row.kind),
    itemId: row.item_id,
    ...(policy !== null && { policy }),
    way: wayOf(row.way),
    wayWhy: row.way_why,
  }
}

function reclaiming(parts: Parts): Pick<Leases, 'reclaim'> {
  const { connection, names } = parts
  const keepAttempt = attemptKeeper(parts)
  const dropLease = connection.prepare('DELETE FROM leases WHERE job_no = ? AND n = ?')
  const putBack = connection.prepare(
    'UPDATE tasks SET state = ?, reason = ?, message = ?, deaths = ? WHERE job_no = ? AND n = ?',
  )

  function end(row: LostRow, to: TaskState, message: string): void {
    const reason = to === 'failed' ? 'task.poison' : 'lease.lost'
    putBack.run(stateCodes[to], names.idOf(reason), message, row.deaths + 1, row.job_no, row.n)
  }

  function takeBack(row: LostRow, now: number, changes: JobChanges): void {
    dropLease.run(row.job_no, row.n)
    const lease = {
      attempt: row.attempt,
      owner: names.textOf(row.owner),
      leasedAt: row.leased_at,
      way: wayOf(row.way),
    }
    const attempt = lostAttempt(lease, now)
    keepAttempt(row.job_no, row.n, row.attempt, attempt)
    changes.tried(row.job_no, { no: row.host, name: names.textOf(row.host) }, attempt, nothing)
  }

  return {
    async reclaim({ now, exceptOwner, poisonAfter }) {
      // Usually there are no leases. Checking with a read first avoids the write lock, because this runs every few seconds.
      if (!connection.one('SELECT 1 FROM leases LIMIT 1')) return []
      return writeJobs(connection, changes => {
        // If the excepted owner is unknown, the number 0 is used. It matches no owner, so all leases count as lost.
        const keeper = exceptOwner === undefined ? null : (names.find(exceptOwner) ?? 0)
        const lost = connection.all<LostRow>(
          `SELECT l.job_no, l.n, l.attempt, l.owner, l.state, l.leased_at, t.deaths, t.host, t.way
           FROM leases l JOIN tasks t ON t.job_no = l.job_no AND t.n = l.n
           WHERE l.lease_until <= ? OR l.owner <> ?`,
          now,
          keeper,
        )
        const returned = hostTaskCounts(jobIdLookup(connection), names)
        for (const row of lost) {
          takeBack(row, now, changes)
          const poisonous = row.deaths + 1 >= poisonAfter
          const to = poisonous ? 'failed' : 'pending'
          end(row, to, `the lease was lost ${row.deaths + 1} times`)
          changes.countMove(row.job_no, stateOf(row.state), to)
          if (poisonous) changes.count(row.job_no, 'reason:task.poison')
          else returned.add(row.job_no, row.host)
        }
        return returned.rows()
      })
    },
  }
}

function waking({ connection, names }: Parts): Pick<Leases, 'wake'> {
  return {
    async wake(now, shard) {
      const due = 'state = 2 AND not_before > 0 AND not_before <= ?'
      if (!connection.one(`SELECT 1 FROM tasks WHERE ${due} LIMIT 1`, now)) return []
      return connection.write(() => {
        const woken = hostTaskCounts(jobIdLookup(connection), names)
        const text = `SELECT job_no, host, count(*) AS count FROM tasks WHERE ${due} GROUP BY job_no, host`
        for (const row of connection.all<{ job_no: number; host: number; count: number }>(text, now)) {
          if (!isIn(shard, names.textOf(row.host))) continue
          woken.add(row.job_no, row.host, row.count)
          const own = `UPDATE tasks SET not_before = 0 WHERE ${due} AND job_no = ? AND host = ?`
          if (shard) connection.run(own, now, row.job_no, row.host)
        }
        if (!shard) connection.run(`UPDATE tasks SET not_before = 0 WHERE ${due}`, now)
        return woken.rows()
      }, 'relaxed')
    },
  }
}

interface HostTaskCounts {
  add(jobNo: number, hostNo: number, count?: number): void
  rows(): Array<{ jobId: string; host: string; count: number }>
}

function hostTaskCounts(jobIdOf: (jobNo: number) => string, names: Names): HostTaskCounts {
  const jobs = new Map<number, Map<number, number>>()
  return {
    add(jobNo, hostNo, count = 1) {
      const hosts = jobs.get(jobNo) ?? new Map<number, number>()
      if (hosts.size === 0) jobs.set(jobNo, hosts)
      hosts.set(hostNo, (hosts.get(hostNo) ?? 0) + count)
    },
    rows: () =>
      [...jobs].flatMap(([jobNo, hosts]) =>
        [...hosts].map(([hostNo, count]) => ({ jobId: jobIdOf(jobNo), host: names.textOf(hostNo), count })),
      ),
  }
}
