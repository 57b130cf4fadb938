// Filters of jobs, and counts of their open work.
import type { TaskState } from '../../model/task.ts'
import type { JobFilter, JobStore } from '../../ports/store.ts'
import { countsOf } from '../job-buckets.ts'
import type { Queries } from './database.ts'

const searched = `lower(concat_ws(' ', id, labels::text, spec::jsonb #>> '{seedUrls,0}', spec::jsonb #>> '{urls,0}',
  spec::jsonb ->> 'sitemapUrl'))`

/** One statement for every filter: unused parameters are null. The first two belong to paging. */
export const filterWhere = `($3::text IS NULL OR workspace = $3) AND ($4::text[] IS NULL OR state = ANY($4))
  AND ($5::text IS NULL OR face = $5) AND ($6::text IS NULL OR key_id = $6) AND ($7::text IS NULL OR schedule_id = $7)
  AND ($8::bigint IS NULL OR created_at >= $8) AND ($9::bigint IS NULL OR created_at < $9)
  AND ($10::jsonb IS NULL OR labels @> $10) AND ($11::text IS NULL OR position($11 IN ${searched}) > 0)`

export const filterValues = (filter: JobFilter): unknown[] => [
  filter.workspace ?? null,
  filter.states ?? null,
  filter.face ?? null,
  filter.keyId ?? null,
  filter.scheduleId ?? null,
  filter.createdFrom ?? null,
  filter.createdBefore ?? null,
  filter.labels ? JSON.stringify(filter.labels) : null,
  filter.text?.toLowerCase() ?? null,
]

type Load = Awaited<ReturnType<JobStore['load']>>

export async function readLoad(
  queries: Queries,
  { workspace, keyId, face }: Pick<JobFilter, 'workspace' | 'keyId' | 'face'>,
): Promise<Load> {
  const row = await queries.one<Load & Record<string, unknown>>(
    `WITH unended AS (
       SELECT job_no FROM jobs WHERE state IN ('pending', 'running', 'paused', 'finishing')
         AND ($1::text IS NULL OR workspace = $1) AND ($2::text IS NULL OR key_id = $2) AND ($3::text IS NULL OR face = $3)
     )
     SELECT (SELECT count(*) FROM unended) AS jobs,
       (SELECT coalesce(sum(c.value), 0)::bigint FROM unended JOIN job_counts c USING (job_no)
        WHERE c.bucket IN ('state:pending', 'state:queued', 'state:in_progress')) AS tasks`,
    workspace ?? null,
    keyId ?? null,
    face ?? null,
  )
  return row!
}

export async function readTaskCounts(queries: Queries): Promise<Record<TaskState, number>> {
  const rows = await queries.all<{ bucket: string; value: number }>(
    `SELECT c.bucket, sum(c.value)::bigint AS value FROM jobs j JOIN job_counts c USING (job_no)
     WHERE j.state IN ('pending', 'running', 'paused', 'finishing') AND c.bucket LIKE 'state:%' GROUP BY c.bucket`,
  )
  return countsOf(rows).byState
}
