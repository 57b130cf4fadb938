// Jobs: creating, moving, listing, counting, deleting.
import { hasEnded, type JobState, jobMoves } from '../../model/job.ts'
import type { JobBrief, JobStore, NewJob } from '../../ports/store.ts'
import { shareBucket, shareOf } from '../job-buckets.ts'
import { type JobRow, jobOf } from '../rows/job-rows.ts'
import { jobExists } from '../store-failures.ts'
import type { AddTasks } from './add-tasks.ts'
import type { Connection, Durability } from './connection.ts'
import { jobDeleter } from './delete-job.ts'
import { GatheredWrites } from './gathered-writes.ts'
import { JobChanges, readCounts, writeJobs } from './job-changes.ts'
import { filterOf, readLoad, readTaskCounts } from './job-filters.ts'
import { jobNumber } from './job-numbers.ts'
import { askedBefore, enterBeside, originValues, refuseRepeated } from './job-origins.ts'
import { enterWebhooks } from './outbox.ts'
import type { Parts } from './parts.ts'

const jobColumns = `j.id, j.kind, s.spec, j.state, j.reason, j.resume_at, j.ingest, j.created_at, j.started_at,
  j.finished_at, j.workspace, j.face, j.key_id, j.schedule_id, j.traceparent FROM jobs j JOIN job_specs s ON s.job_no = j.job_no`

export function jobStore(parts: Parts, addTasks: AddTasks): JobStore {
  const { connection } = parts
  return {
    create: jobCreator(connection, addTasks),
    move: jobMover(parts),
    delete: jobDeleter(connection),
    askedBefore: async (workspace, key) => askedBefore(connection, workspace, key),

    async get(jobId) {
      const row = connection.one<JobRow>(`SELECT ${jobColumns} WHERE j.id = ?`, jobId)
      return row ? jobOf(row) : null
    },

    async list({ limit = 100, cursor, ...filter } = {}) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : jobNumber(connection, cursor)
      const { where, values } = filterOf(filter)
      const text = `SELECT ${jobColumns} WHERE j.job_no < ?1${where} ORDER BY j.job_no DESC LIMIT ?2`
      return connection.all<JobRow>(text, before, limit, ...values).map(jobOf)
    },

    load: async filter => readLoad(connection, filter ?? {}),

    taskCounts: async () => readTaskCounts(connection),

    counts: async jobId => readCounts(connection, jobNumber(connection, jobId)),

    async unended() {
      const text = `SELECT id, state, reason FROM jobs
        WHERE state IN ('pending', 'running', 'paused', 'finishing') ORDER BY job_no`
      return connection.all<JobBrief>(text).map(({ id, state, reason }) => ({ id, state, reason }))
    },

    async setAside(jobId, share) {
      return connection.write(() => {
        const jobNo = jobNumber(connection, jobId)
        const text = 'SELECT bucket, value FROM job_counts WHERE job_no = ?'
        const had = connection.all<{ bucket: string; value: number }>(text, jobNo)
        const pages = shareOf(had, share)
        const put = 'INSERT OR REPLACE INTO job_counts (job_no, bucket, value) VALUES (?, ?, ?)'
        connection.run(put, jobNo, shareBucket(share.of), pages)
        return pages
      })
    },

    async spend(jobId, llmTokens) {
      writeJobs(connection, changes => changes.count(jobNumber(connection, jobId), 'llmTokens', llmTokens))
    },

    async spendWithin(jobId, llmTokens, limit) {
      return writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        if (readCounts(connection, jobNo).llmTokens + llmTokens > limit) return false
        changes.count(jobNo, 'llmTokens', llmTokens)
        return true
      })
    },

    async revise(jobId, spec) {
      connection.write(() => {
        const jobNo = jobNumber(connection, jobId)
        connection.run('UPDATE job_specs SET spec = ? WHERE job_no = ?', JSON.stringify(spec), jobNo)
      })
    },
  }
}

function jobCreator(connection: Connection, addTasks: AddTasks): JobStore['create'] {
  function insert(job: NewJob): number {
    const { lastInsertRowid } = connection
      .prepare(
        `INSERT INTO jobs (id, kind, state, ingest, created_at, workspace, face, key_id, schedule_id, labels, traceparent)
         VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(job.id, job.kind, JSON.stringify(job.ingest), job.createdAt, ...originValues(job))
    const jobNo = Number(lastInsertRowid)
    connection.run('INSERT INTO job_specs (job_no, spec) VALUES (?, ?)', jobNo, JSON.stringify(job.spec))
    return jobNo
  }

  const writes = new GatheredWrites(connection)
  return (job, tasks) =>
    writes.add(() => {
      const changes = new JobChanges(connection)
      refuseRepeated(connection, job)
      if (connection.one('SELECT 1 FROM jobs WHERE id = ?', job.id)) throw jobExists(job.id)
      const jobNo = insert(job)
      enterBeside(connection, jobNo, job)
      const result = addTasks(jobNo, tasks, changes)
      const ingest = { ...job.ingest, duplicates: job.ingest.duplicates + result.duplicates }
      if (result.duplicates > 0)
        connection.run('UPDATE jobs SET ingest = ? WHERE job_no = ?', JSON.stringify(ingest), jobNo)
      changes.write()
      return result
    })
}

// Reason and resume time belong to the new state; those of the old state are cleared.
function jobMover({ connection, clock }: Parts): JobStore['move'] {
  return async (
    jobId,
    from,
    to,
    { reason = null, resumeAt = null, at = clock.now(), webhooks = [] } = {},
  ) => {
    const legal = from.filter(state => jobMoves[state].includes(to))
    return connection.write(
      () => {
        const moved = connection.run(
          `UPDATE jobs SET state = ?1, reason = ?2, resume_at = ?3,
           started_at = CASE WHEN ?1 = 'running' THEN coalesce(started_at, ?4) ELSE started_at END,
           finished_at = ?5
         WHERE id = ?6 AND state IN (SELECT value FROM json_each(?7))`,
          to,
          reason,
          resumeAt,
          at,
          hasEnded(to) ? at : null,
          jobId,
          JSON.stringify(legal),
        )
        if (moved === 1 && webhooks.length > 0)
          enterWebhooks(connection, ownerOf(connection, jobId), webhooks)
        return moved === 1
      },
      durabilityOf(to, reason),
    )
  }
}

/** If such a step is lost, the job repeats it; no client has seen it. */
const durabilityOf = (to: JobState, reason: string | null): Durability =>
  reason === null && (to === 'running' || to === 'finishing') ? 'relaxed' : 'durable'

const ownerOf = (connection: Connection, id: string): { id: string; workspace: string } => ({
  id,
  workspace: connection.one<{ workspace: string }>('SELECT workspace FROM jobs WHERE id = ?', id)!.workspace,
})
