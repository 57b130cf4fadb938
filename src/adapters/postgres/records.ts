// Records in commit order, and the replacement of records by a re-extraction.

import { mostListedBytes } from '../../lib/listed-records.ts'
import type { TaskWay } from '../../model/policy/way.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Reason, TaskKind, TaskState } from '../../model/task.ts'
import type { RecordStore, Reextraction, Replacement } from '../../ports/store.ts'
import { recordColumns, shownRecord } from '../sql/records.ts'
import type { Sql, SqlValue } from '../sql/sql.ts'
import { unknownJob } from '../store-failures.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { Identities, identitiesOf } from './identities.ts'
import { type JobChanges, lockJobs, writeJobs } from './job-changes.ts'
import { readSeen } from './seen.ts'
import { keepRecords } from './store-records.ts'

const recordsOfJob = `FROM records r JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = (SELECT job_no FROM jobs WHERE id = $1)`

/** SQL for the last record that fits into the byte limit. Uses stored sizes, so the texts are not read. */
const lastFitting = `SELECT max(seq) FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM (
  SELECT r.seq, octet_length(r.data) + coalesce(octet_length(t.input), 0) AS size
  FROM records r JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = (SELECT job_no FROM jobs WHERE id = $1) AND r.seq > $2 ORDER BY r.seq LIMIT $3) sizes) sums
  WHERE before < ${mostListedBytes}`

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
        // Reset the output files. Otherwise a process that continues a file would append the new records to the old ones.
        await queries.run('UPDATE outputs SET seq = 0, bytes = 0, done = false WHERE job_no = $1', job.jobNo)
        await saveReextraction(queries, job.jobNo, progress)
      }),

    async reextraction(jobId) {
      const row = await database.one<{ maker: string; after: number; done: string }>(
        'SELECT maker, after, done FROM reextractions WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1)',
        jobId,
      )
      return row ? { maker: row.maker, after: row.after, done: JSON.parse(row.done) } : null
    },
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
    countRescue(jobNo, task, to, reason, changes)
    if (!duplicate) saved.add(task.n)
  }
  identities.write(changes)
  return saved
}

function countRescue(
  jobNo: number,
  task: EndedRow,
  to: TaskState,
  reason: Reason,
  changes: JobChanges,
): void {
  changes.countMove(jobNo, task.state, to)
  changes.count(jobNo, `reason:${task.reason}`, -1)
  changes.count(jobNo, `reason:${reason}`)
  if (to !== 'succeeded') return
  if (task.kind === 'page') changes.count(jobNo, 'pages')
  if (task.way === 'browser') changes.count(jobNo, 'rendered')
}

async function saveReextraction(
  queries: Queries,
  jobNo: number,
  progress: Reextraction | null,
): Promise<void> {
  await queries.run('DELETE FROM reextractions WHERE job_no = $1', jobNo)
  if (progress === null) return
  const text = 'INSERT INTO reextractions (job_no, maker, after, done) VALUES ($1, $2, $3, $4)'
  await queries.run(text, jobNo, progress.maker, progress.after, JSON.stringify(progress.done))
}
