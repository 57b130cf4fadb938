// Jobs: creating, moving, listing, counting, deleting.
import { hasEnded, jobMoves } from '../../model/job.ts'
import type { AddResult, JobBrief, JobStore, NewJob } from '../../ports/store.ts'
import { shareBucket, shareOf } from '../job-buckets.ts'
import { type JobRow, jobOf } from '../rows/job-rows.ts'
import { jobExists, unknownJob } from '../store-failures.ts'
import { addTasks } from './add-tasks.ts'
import type { Database, Queries } from './database.ts'
import { jobDeleter } from './delete-job.ts'
import { lockJobs, readCounts, writeJobs } from './job-changes.ts'
import { filterValues, filterWhere, readLoad, readTaskCounts } from './job-filters.ts'
import { jobNumber } from './job-numbers.ts'
import { askedBefore, enterBeside, originValues, refuseRepeated } from './job-origins.ts'
import { enterWebhooks } from './outbox.ts'
import { withoutNul } from './rows.ts'

export function jobStore(database: Database, now: () => number): JobStore {
  return {
    create: (job, tasks) => createJob(database, job, tasks),
    move: jobMover(database, now),
    delete: jobDeleter(database),
    askedBefore: (workspace, key) => askedBefore(database, workspace, key),

    async get(jobId) {
      const row = await database.one<JobRow>('SELECT * FROM jobs WHERE id = $1', jobId)
      return row ? jobOf(row) : null
    },

    async list({ limit = 100, cursor, ...filter } = {}) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : await jobNumber(database, cursor)
      const text = `SELECT * FROM jobs WHERE job_no < $1 AND ${filterWhere} ORDER BY job_no DESC LIMIT $2`
      return (await database.all<JobRow>(text, before, limit, ...filterValues(filter))).map(jobOf)
    },

    load: filter => readLoad(database, filter ?? {}),

    taskCounts: () => readTaskCounts(database),

    counts: async jobId => readCounts(database, await jobNumber(database, jobId)),

    unended: () =>
      database.all<JobBrief & Record<string, unknown>>(
        `SELECT id, state, reason FROM jobs WHERE state IN ('pending', 'running', 'paused', 'finishing') ORDER BY job_no`,
      ),

    setAside: (jobId, share) =>
      database.transaction(async queries => {
        const job = (await lockJobs(queries, [jobId])).get(jobId)
        if (!job) throw unknownJob(jobId)
        const text = 'SELECT bucket, value FROM job_counts WHERE job_no = $1'
        const had = await queries.all<{ bucket: string; value: number }>(text, job.jobNo)
        const pages = shareOf(had, share)
        await queries.run(
          `INSERT INTO job_counts (job_no, bucket, value) VALUES ($1, $2, $3)
           ON CONFLICT (job_no, bucket) DO UPDATE SET value = excluded.value`,
          job.jobNo,
          shareBucket(share.of),
          pages,
        )
        return pages
      }),

    spend: (jobId, llmTokens) =>
      writeJobs(database, async (queries, changes) =>
        changes.count(await jobNumber(queries, jobId), 'llmTokens', llmTokens),
      ),

    spendWithin: (jobId, llmTokens, limit) =>
      writeJobs(database, async (queries, changes) => {
        const job = (await lockJobs(queries, [jobId])).get(jobId)
        if (!job) throw unknownJob(jobId)
        const { llmTokens: spent } = await readCounts(queries, job.jobNo)
        if (spent + llmTokens > limit) return false
        changes.count(job.jobNo, 'llmTokens', llmTokens)
        return true
      }),

    async revise(jobId, spec) {
      const jobNo = await jobNumber(database, jobId)
      await database.run(
        'UPDATE jobs SET spec = $1 WHERE job_no = $2',
        withoutNul(JSON.stringify(spec)),
        jobNo,
      )
    },
  }
}

function createJob(
  database: Database,
  job: NewJob,
  tasks: Parameters<JobStore['create']>[1],
): Promise<AddResult> {
  return writeJobs(database, async (queries, changes) => {
    await refuseRepeated(queries, job)
    const row = await queries.one<{ job_no: number }>(
      `INSERT INTO jobs (id, kind, state, ingest, spec, created_at, workspace, face, key_id, schedule_id, labels,
         traceparent)
       VALUES ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING RETURNING job_no`,
      job.id,
      job.kind,
      JSON.stringify(job.ingest),
      JSON.stringify(job.spec),
      job.createdAt,
      ...originValues(job),
    )
    if (!row) throw await takenBy(queries, job)
    await enterBeside(queries, row.job_no, job)
    const result = await addTasks(queries, { jobNo: row.job_no, nextN: 1 }, tasks, changes)
    const ingest = { ...job.ingest, duplicates: job.ingest.duplicates + result.duplicates }
    if (result.duplicates > 0)
      await queries.run('UPDATE jobs SET ingest = $1 WHERE job_no = $2', JSON.stringify(ingest), row.job_no)
    return result
  })
}

/** For two concurrent equal requests, the second gets the idempotency error. */
async function takenBy(queries: Queries, job: NewJob): Promise<Error> {
  await refuseRepeated(queries, job)
  return jobExists(job.id)
}

// Reason and resume time belong to the new state; those of the old state are cleared.
function jobMover(database: Database, now: () => number): JobStore['move'] {
  return (jobId, from, to, { reason = null, resumeAt = null, at = now(), webhooks = [] } = {}) => {
    const legal = from.filter(state => jobMoves[state].includes(to))
    return database.transaction(async queries => {
      const moved = await queries.one<{ workspace: string }>(
        `UPDATE jobs SET state = $1, reason = $2, resume_at = $3,
           started_at = CASE WHEN $1 = 'running' THEN coalesce(started_at, $4) ELSE started_at END, finished_at = $5
         WHERE id = $6 AND state = ANY($7::text[]) RETURNING workspace`,
        to,
        reason,
        resumeAt,
        at,
        hasEnded(to) ? at : null,
        jobId,
        legal,
      )
      if (moved) await enterWebhooks(queries, { id: jobId, workspace: moved.workspace }, webhooks)
      return moved !== null
    })
  }
}
