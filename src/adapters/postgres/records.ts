// Records in commit order, and the replacement of records by a re-extraction.

import type { TaskWay } from '../../model/policy/way.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Reason, TaskKind, TaskState } from '../../model/task.ts'
import type { RecordStore, Replacement } from '../../ports/store.ts'
import { lastFitting, recordColumns, reextractionOf, saveReextraction, shownRecord } from '../sql/records.ts'
import { numberAt, type Sql, type SqlValue } from '../sql/sql.ts'
import { unknownJob } from '../store-failures.ts'
import type { Database, Transaction } from './database.ts'
import { drive } from './dialect.ts'
import { Identities, identitiesOf } from './identities.ts'
import { type JobChanges, lockJobs, writeJobs } from './job-changes.ts'
import { readSeen } from './seen.ts'
import { keepRecords } from './store-records.ts'

const recordsOfJob = `FROM records r JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = ${numberAt('$1')}`

export function recordStore(database: Database, sql: Sql): RecordStore {
  const listed = `SELECT ${recordColumns(sql)} ${recordsOfJob}`
  const rows = async (text: string, ...values: SqlValue[]): Promise<StoredRecord[]> =>
    (await sql.all<StoredRecord>(`${listed} AND ${text}`, ...values)).map(shownRecord)
  return {
    list: (jobId, { after, limit }) =>
      rows(`r.seq > $2 AND r.seq <= (${lastFitting}) ORDER BY r.seq`, jobId, after, limit),
    ofTask: (jobId, n) => rows('r.n = $2 ORDER BY r.idx', jobId, n),

    replace: (jobId, replacements, progress) =>
      writeJobs(database, async (queries, changes) => {
        const job = (await lockJobs(queries, [jobId])).get(jobId)
        if (!job) throw unknownJob(jobId)
        await replaceRecords(queries, job.jobNo, replacements, changes)
        await drive(queries, saveReextraction(job.jobNo, progress))
      }),

    reextraction: reextractionOf(sql),
  }
}

interface EndedRow {
  n: number
  state: TaskState
  reason: Reason
  kind: TaskKind
  way: TaskWay
}

/** Replaces the records of tasks that succeeded before or succeed now. Other tasks keep their records. */
async function replaceRecords(
  queries: Transaction,
  jobNo: number,
  replacements: Replacement[],
  changes: JobChanges,
): Promise<void> {
  const rows = await queries.all<EndedRow & Record<string, unknown>>(
    `SELECT n, state, reason, kind, way FROM tasks WHERE job_no = $1 AND n = ANY($2::bigint[]) ORDER BY n FOR UPDATE`,
    jobNo,
    replacements.map(({ n }) => n),
  )
  const tasks = new Map(rows.map(row => [row.n, row]))
  const isDone = (state: TaskState | undefined) => state === 'succeeded'
  const rescued = replacements.filter(({ n, rescued }) => rescued && rescuable.has(tasks.get(n)?.state))
  const saved = await rescueTasks(queries, jobNo, rescued, tasks, changes)
  const kept = replacements.filter(({ n }) => saved.has(n) || isDone(tasks.get(n)?.state))
  const own = 'WHERE job_no = $1 AND n = ANY($2::bigint[])'
  const numbers = kept.map(({ n }) => n)
  const removed = await queries.run(`DELETE FROM records ${own}`, jobNo, numbers)
  await queries.run(`DELETE FROM answers ${own}`, jobNo, numbers)
  keepRecords(
    changes,
    kept.map(({ n, records }) => ({ jobNo, n, records })),
  )
  changes.count(jobNo, 'records', -removed)
}

const rescuable: ReadonlySet<TaskState | undefined> = new Set(['failed', 'skipped'])

/** Moves tasks that failed or were skipped to their new state. Returns the tasks that now succeed; duplicates of other tasks
 *  are excluded. */
async function rescueTasks(
  queries: Transaction,
  jobNo: number,
  rescued: Replacement[],
  tasks: Map<number, EndedRow>,
  changes: JobChanges,
): Promise<Set<number>> {
  const saved = new Set<number>()
  const pages = rescued.map(({ n, rescued: identity }) => ({ jobNo, settlement: { n, identity: identity! } }))
  const identities = new Identities(await readSeen(queries, pages.flatMap(identitiesOf)))
  for (const page of pages) {
    const task = tasks.get(page.settlement.n)!
    const duplicate = task.kind === 'page' ? identities.judge(page) : null
    const to = duplicate ? 'skipped' : 'succeeded'
    const reason = duplicate?.reason ?? 'ok'
    queries.send(
      'UPDATE tasks SET state = $1, reason = $2, message = NULL, duplicate_of = $3 WHERE job_no = $4 AND n = $5',
      to,
      reason,
      duplicate?.duplicateOf ?? null,
      jobNo,
      task.n,
    )
    changes.countRescue(jobNo, { from: task.state, to, reason, kind: task.kind }, task.reason, task.way)
    if (!duplicate) saved.add(task.n)
  }
  identities.write(changes)
  return saved
}
