// Leases of tasks: claims, releases and extends them, recovers lost ones, and wakes waiting tasks.

import type { TaskWay } from '../../model/policy/way.ts'
import type { LeasedTask, TaskKind, TaskState } from '../../model/task.ts'
import type { ClaimRequest, TaskStore } from '../../ports/store.ts'
import { lostAttempt } from '../sql/tasks.ts'
import { nothing } from '../step-counter.ts'
import { keepAttempts } from './attempts.ts'
import type { Database, Queries } from './database.ts'
import { addToCounts, type JobChanges, writeJobs } from './job-changes.ts'
import { rowsTable } from './rows.ts'
import { inShard, shardValues } from './shards.ts'

type Leases = Pick<TaskStore, 'claim' | 'release' | 'extend' | 'reclaim' | 'wake'>
type Lease = Parameters<TaskStore['claim']>[1]

interface ClaimedRow {
  job_id: string
  job_no: number
  n: number
  attempt: number
  charged: number
  kind: TaskKind
  url: string
  host: string
  depth: number
  priority: number
  input: string | null
  item_id: string | null
  policy: string | null
  way: TaskWay
  way_why: string | null
}

export function taskLeases(database: Database, now: () => number): Leases {
  return {
    claim: (claims, lease) => database.transaction(queries => claimTasks(queries, claims, lease, now())),
    release: (owner, tasks) =>
      writeJobs(database, (queries, changes) => releaseTasks(queries, owner, tasks, changes)),
    async extend(owner, untilMs) {
      const text = 'UPDATE tasks SET lease_until = greatest(lease_until, $1) WHERE owner = $2'
      await database.run(text, untilMs, owner)
    },
    reclaim: reclaimer(database),
    ...waking(database),
  }
}

/** The claim updates the counters in its own statement. Claims are frequent, so a second round trip would be expensive. */
const countClaimed = addToCounts(
  `SELECT job_no, 'state:pending' AS bucket, -1 AS value FROM claimed
   UNION ALL SELECT job_no, 'state:' || $1, 1 FROM claimed`,
)

/** With `SKIP LOCKED`, concurrent claims get different tasks without waiting. The picked rows are updated by ctid, because
 *  with a join the planner may scan a large table. */
async function claimTasks(
  queries: Queries,
  claims: ClaimRequest[],
  lease: Lease,
  now: number,
): Promise<LeasedTask[]> {
  const places = merged(claims)
  const asked = rowsTable(
    'w',
    { job_id: 'text', host: 'text', most: 'integer' },
    places.map(({ jobId, host, limit }) => ({ job_id: jobId, host, most: limit })),
    5,
  )
  const rows = await queries.all<ClaimedRow>(
    `WITH claimed AS (
       UPDATE tasks t SET state = $1, attempt = t.attempt + 1, owner = $2, leased_at = $3, lease_until = $4
       WHERE t.ctid = ANY (ARRAY(
         SELECT picked.ctid FROM ${asked.sql} JOIN jobs j ON j.id = w.job_id
         CROSS JOIN LATERAL (
           SELECT ctid FROM tasks
           WHERE job_no = j.job_no AND host = w.host AND state = 'pending' AND not_before = 0
           ORDER BY priority, n LIMIT w.most FOR UPDATE SKIP LOCKED
         ) picked
       ))
       RETURNING (SELECT id FROM jobs WHERE jobs.job_no = t.job_no) AS job_id, t.job_no, t.n, t.attempt, t.charged, t.kind, t.url,
         t.host, t.depth, t.priority, t.input, t.item_id, t.policy, t.way, t.way_why
     ), counted AS (${countClaimed})
     SELECT * FROM claimed`,
    lease.state,
    lease.owner,
    now,
    lease.untilMs,
    ...asked.values,
  )
  return inOrder(rows, places).map(leasedTask)
}

/** Sorts the claimed rows in the order of `places`; within a place, by priority and then by task number. */
function inOrder(rows: ClaimedRow[], places: ClaimRequest[]): ClaimedRow[] {
  const turns = new Map(places.map((claim, turn) => [placeOf(claim), turn]))
  const turnOf = ({ job_id, host }: ClaimedRow) => turns.get(placeOf({ jobId: job_id, host }))!
  return rows.sort((a, b) => turnOf(a) - turnOf(b) || a.priority - b.priority || a.n - b.n)
}

const placeOf = ({ jobId, host }: Pick<ClaimRequest, 'jobId' | 'host'>): string => `${jobId} ${host}`

/** Joins claims for the same job and host, because each would select the same rows. */
function merged(claims: ClaimRequest[]): ClaimRequest[] {
  const byPlace = Map.groupBy(
    claims.filter(({ limit }) => limit > 0),
    placeOf,
  )
  return [...byPlace.values()].map(same => ({
    ...same[0]!,
    limit: same.reduce((sum, { limit }) => sum + limit, 0),
  }))
}

function leasedTask(row: ClaimedRow): LeasedTask {
  const { job_id: jobId, n, attempt, charged, kind, url, host, depth, priority, input, way } = row
  return {
    ...{ jobId, n, attempt, charged, kind, url, host, depth, priority, input, way },
    itemId: row.item_id,
    ...(row.policy !== null && { policy: row.policy }),
    wayWhy: row.way_why,
  }
}

/** Locks the rows in a fixed order first, so that concurrent releases never deadlock. */
async function releaseTasks(
  queries: Queries,
  owner: string,
  tasks: Array<{ jobId: string; n: number; attempt: number }>,
  changes: JobChanges,
): Promise<void> {
  if (tasks.length === 0) return
  const rows = tasks.map(({ jobId, n, attempt }) => ({ job_id: jobId, n, attempt }))
  const given = rowsTable('r', { job_id: 'text', n: 'bigint', attempt: 'integer' }, rows, 2)
  const released = await queries.all<{ job_no: number; held: TaskState }>(
    `WITH held AS (
       SELECT t.job_no, t.n, t.state FROM ${given.sql} JOIN jobs j ON j.id = r.job_id
       JOIN tasks t ON t.job_no = j.job_no AND t.n = r.n AND t.attempt = r.attempt
       WHERE t.owner = $1 ORDER BY t.job_no, t.n FOR UPDATE OF t
     )
     UPDATE tasks t SET state = 'pending', owner = NULL, leased_at = NULL, lease_until = NULL
     FROM held WHERE t.job_no = held.job_no AND t.n = held.n RETURNING t.job_no, held.state AS held`,
    owner,
    ...given.values,
  )
  for (const { job_no, held } of released) changes.countMove(job_no, held, 'pending')
}

interface LostRow {
  id: string
  job_no: number
  n: number
  attempt: number
  owner: string
  held: TaskState
  leasedAt: number
  deaths: number
  host: string
  way: TaskWay
}

function reclaimer(database: Database): Leases['reclaim'] {
  return ({ now, exceptOwner, poisonAfter }) =>
    writeJobs(database, async (queries, changes) => {
      const lost = await queries.all<LostRow>(
        `WITH lost AS (
           SELECT job_no, n, owner, state, leased_at FROM tasks
           WHERE owner IS NOT NULL AND (lease_until <= $1 OR owner <> $2)
           ORDER BY job_no, n FOR UPDATE SKIP LOCKED
         )
         UPDATE tasks t SET deaths = t.deaths + 1, owner = NULL, leased_at = NULL, lease_until = NULL,
           state = CASE WHEN t.deaths + 1 >= $3 THEN 'failed' ELSE 'pending' END,
           reason = CASE WHEN t.deaths + 1 >= $3 THEN 'task.poison' ELSE 'lease.lost' END,
           message = format('the lease was lost %s times', t.deaths + 1)
         FROM lost JOIN jobs j ON j.job_no = lost.job_no WHERE t.job_no = lost.job_no AND t.n = lost.n
         RETURNING j.id, t.job_no, t.n, t.attempt, lost.owner, lost.state AS held, lost.leased_at AS "leasedAt", t.deaths, t.host, t.way`,
        now,
        exceptOwner ?? null,
        poisonAfter,
      )
      keepAttempts(
        changes,
        lost.map(row => ({
          jobNo: row.job_no,
          n: row.n,
          attempt: row.attempt,
          history: lostAttempt(row, now),
        })),
      )
      for (const row of lost) {
        countLost(row, poisonAfter, changes)
        changes.tried(row.job_no, row.host, lostAttempt(row, now), nothing)
      }
      return countByHost(lost.filter(({ deaths }) => deaths < poisonAfter))
    })
}

function countLost({ job_no, held, deaths }: LostRow, poisonAfter: number, changes: JobChanges): void {
  const isPoison = deaths >= poisonAfter
  changes.countMove(job_no, held, isPoison ? 'failed' : 'pending')
  if (isPoison) changes.count(job_no, 'reason:task.poison')
}

function countByHost(
  rows: Array<{ id: string; host: string }>,
): Array<{ jobId: string; host: string; count: number }> {
  const places = Map.groupBy(rows, ({ id, host }) => `${id} ${host}`)
  return [...places.values()].map(same => ({ jobId: same[0]!.id, host: same[0]!.host, count: same.length }))
}

function waking(database: Database): Pick<Leases, 'wake'> {
  return {
    wake: (now, shard) =>
      database.all<{ jobId: string; host: string; count: number }>(
        `WITH due AS (
           SELECT job_no, n FROM tasks WHERE state = 'pending' AND not_before > 0 AND not_before <= $1 AND ${inShard}
           ORDER BY job_no, n FOR UPDATE SKIP LOCKED
         ), woken AS (
           UPDATE tasks t SET not_before = 0 FROM due WHERE t.job_no = due.job_no AND t.n = due.n RETURNING t.job_no, t.host
         )
         SELECT j.id AS "jobId", w.host, count(*) AS count FROM woken w JOIN jobs j ON j.job_no = w.job_no GROUP BY j.id, w.host`,
        now,
        ...shardValues(shard),
      ),
  }
}
