// The shared part of the job store: moves, finds, counts and deletes jobs. Each store creates jobs in its own way.
import { hasEnded, type IngestProgress, type Job, type JobState, jobMoves } from '../../model/job.ts'
import type { AddResult, JobBrief, JobFilter, JobStore } from '../../ports/store.ts'
import { countsOf, shareBucket, shareOf } from '../job-buckets.ts'
import { jobDeleter } from './delete-job.ts'
import { jobNumber, readJobNumber } from './job-numbers.ts'
import { repeatedText } from './job-origins.ts'
import { enterWebhooks } from './outbox.ts'
import { all, type Durability, isOrAny, one, run, type Sql, type SqlValue, type Steps } from './sql.ts'
import { findAll, findOne, stored } from './stored.ts'

/** SQL that differs between the stores. */
export interface JobForms {
  now: () => number
  /** The tables for FROM: `jobs j`, and the table of specs if the store has one. */
  tables: string
  /** SQL for the text of a job `j` that is searched. */
  searched: string
  /** SQL: whether the job `j` has all labels of the JSON object at `place`. */
  hasLabels(place: string): string
  /** SQL that sets the spec to $1 for job number $2. */
  revise: string
  /** Tables with a column `job_no` that only this store has. Each value names the other columns of the table's unique
   *  key. */
  ownTables: Readonly<Record<string, string>>
}

const jobs = stored<Job>('jobs', {
  id: 'plain',
  kind: 'plain',
  spec: 'json',
  state: 'plain',
  reason: 'plain',
  resumeAt: 'plain',
  ingest: 'json',
  createdAt: 'plain',
  startedAt: 'plain',
  finishedAt: 'plain',
  workspace: 'plain',
  face: 'plain',
  keyId: 'plain',
  scheduleId: 'plain',
  traceparent: 'plain',
})

export function storedJobs(sql: Sql, forms: JobForms): Omit<JobStore, 'create'> {
  return {
    ...finding(sql, forms),
    ...counting(sql),
    move: jobMover(sql, forms.now),
    delete: jobDeleter(sql, forms.ownTables),

    revise: (jobId, spec) =>
      sql.transaction(function* () {
        yield* run(forms.revise, JSON.stringify(spec), yield* jobNumber(jobId))
      }),
  }
}

const hasNotEnded = `state IN ('pending', 'running', 'paused', 'finishing')`

function finding(
  sql: Sql,
  forms: JobForms,
): Pick<JobStore, 'get' | 'brief' | 'list' | 'unended' | 'askedBefore'> {
  const type = { ...jobs, select: `SELECT ${jobs.columns} FROM ${forms.tables}` }
  return {
    askedBefore: (workspace, key) => sql.one(repeatedText, workspace, key),
    get: jobId => findOne(sql, type, 'WHERE j.id = $1', jobId),
    brief: jobId => sql.one('SELECT id, state, reason, traceparent FROM jobs WHERE id = $1', jobId),

    async list({ limit = 100, cursor, ...filter } = {}) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : await readJobNumber(sql, cursor)
      const asked = conditionsOf(sql, forms, filter).filter(([, value]) => value !== undefined)
      const where = asked.map(([condition], index) => ` AND ${condition(`$${index + 3}`)}`).join('')
      const clause = `WHERE j.job_no < $1${where} ORDER BY j.job_no DESC LIMIT $2`
      return findAll(sql, type, clause, before, limit, ...asked.map(([, value]) => value!))
    },

    unended: () =>
      sql.all<JobBrief>(`SELECT id, state, reason FROM jobs WHERE ${hasNotEnded} ORDER BY job_no`),
  }
}

type Condition = [(place: string) => string, SqlValue | undefined]

function conditionsOf(sql: Sql, { searched, hasLabels }: JobForms, filter: JobFilter): Condition[] {
  const { states, labels = {} } = filter
  return [
    [place => `j.workspace = ${place}`, filter.workspace],
    [place => sql.among('j.state', place), states],
    [place => `j.face = ${place}`, filter.face],
    [place => `j.key_id = ${place}`, filter.keyId],
    [place => `j.schedule_id = ${place}`, filter.scheduleId],
    [place => `j.created_at >= ${place}`, filter.createdFrom],
    [place => `j.created_at < ${place}`, filter.createdBefore],
    [place => sql.contains(searched, place), filter.text?.toLowerCase()],
    [hasLabels, Object.keys(labels).length > 0 ? JSON.stringify(labels) : undefined],
  ]
}

interface CountRow {
  bucket: string
  value: number
}

const countsText = 'SELECT bucket, value FROM job_counts WHERE job_no = $1'

type Counting = Pick<JobStore, 'load' | 'counts' | 'setAside' | 'spend'>

function counting(sql: Sql): Counting {
  return {
    async load({ workspace, keyId, face } = {}) {
      const asked = [workspace ?? null, keyId ?? null, face ?? null]
      const [jobs, ...rows] = await sql.all<CountRow>(loadText, ...asked)
      const { byState } = countsOf(rows)
      return { jobs: jobs!.value, tasks: byState.pending + byState.queued + byState.in_progress, byState }
    },

    async counts(jobId) {
      return countsOf(
        await sql.all<CountRow>(`${countsText} AND value <> 0`, await readJobNumber(sql, jobId)),
      )
    },

    setAside: (jobId, share) =>
      sql.transaction(function* () {
        const jobNo = yield* jobNumber(jobId, sql.forUpdate)
        const pages = shareOf(yield* all<CountRow>(countsText, jobNo), share)
        const put = `INSERT INTO job_counts (job_no, bucket, value) VALUES ($1, $2, $3)
          ON CONFLICT (job_no, bucket) DO UPDATE SET value = excluded.value`
        yield* run(put, jobNo, shareBucket(share.of), pages)
        return pages
      }),

    spend: (jobId, llmTokens, limit) =>
      sql.transaction(function* () {
        const jobNo = yield* jobNumber(jobId, limit === undefined ? '' : sql.forUpdate)
        if (limit !== undefined) {
          const { llmTokens: spent } = countsOf(yield* all<CountRow>(countsText, jobNo))
          if (spent + llmTokens > limit) return false
        }
        yield* run(
          `INSERT INTO job_counts (job_no, bucket, value) VALUES ($1, 'llmTokens', $2)
           ON CONFLICT (job_no, bucket) DO UPDATE SET value = job_counts.value + excluded.value`,
          jobNo,
          llmTokens,
        )
        return true
      }),
  }
}

const loadText = `WITH unended AS (
    SELECT job_no FROM jobs WHERE ${hasNotEnded} AND ${isOrAny('workspace', '$1')} AND ${isOrAny('key_id', '$2')}
      AND ${isOrAny('face', '$3')}
  )
  SELECT '' AS bucket, count(*) AS value FROM unended
  UNION ALL
  SELECT c.bucket, CAST(sum(c.value) AS bigint) FROM unended u JOIN job_counts c ON c.job_no = u.job_no
  WHERE c.bucket LIKE 'state:%' GROUP BY c.bucket ORDER BY 1`

// Reason and resume time belong to the new state, so those of the old state are cleared.
function jobMover(sql: Sql, now: () => number): JobStore['move'] {
  const text = `UPDATE jobs SET state = $1, reason = $2, resume_at = $3,
      started_at = CASE WHEN $1 = 'running' THEN coalesce(started_at, $4) ELSE started_at END, finished_at = $5
    WHERE id = $6 AND ${sql.among('state', '$7')} RETURNING workspace`
  return (jobId, from, to, { reason = null, resumeAt = null, at = now(), webhooks = [] } = {}) => {
    const legal = from.filter(state => jobMoves[state].includes(to))
    const values = [to, reason, resumeAt, at, hasEnded(to) ? at : null, jobId, legal]
    return sql.transaction(
      function* () {
        const moved = yield* one<{ workspace: string }>(text, ...values)
        if (moved) yield* enterWebhooks({ id: jobId, workspace: moved.workspace }, webhooks)
        return moved !== null
      },
      durabilityOf(to, reason),
    )
  }
}

/** A move to `running` or `finishing` may get lost in a crash: after the restart the job moves again, and no client depends on
 *  the lost move. */
const durabilityOf = (to: JobState, reason: string | null): Durability =>
  reason === null && (to === 'running' || to === 'finishing') ? 'relaxed' : 'durable'

/** Stores how far the source was read. `progress` does not count the duplicates of the last batch yet. */
export function* saveProgress(
  jobNo: number,
  progress: IngestProgress,
  { duplicates }: Pick<AddResult, 'duplicates'>,
): Steps<void> {
  const ingest = { ...progress, duplicates: progress.duplicates + duplicates }
  yield* run('UPDATE jobs SET ingest = $1 WHERE job_no = $2', JSON.stringify(ingest), jobNo)
}
