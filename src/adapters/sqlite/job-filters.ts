// Filters of jobs, and counts of their open work.
import type { SQLInputValue } from 'node:sqlite'
import type { TaskState } from '../../model/task.ts'
import type { JobFilter, JobStore } from '../../ports/store.ts'
import { countsOf } from '../job-buckets.ts'
import type { Connection } from './connection.ts'

/** Conditions on `jobs j` and its spec `s`, with parameters from `?3`. */
export function filterOf(filter: JobFilter): { where: string; values: SQLInputValue[] } {
  const asked = conditionsOf(filter).filter(([, value]) => value !== undefined) as Array<
    [(place: string) => string, SQLInputValue]
  >
  return {
    where: asked.map(([condition], index) => ` AND ${condition(`?${index + 3}`)}`).join(''),
    values: asked.map(([, value]) => value),
  }
}

/** Addresses as JSON: a list with the first of each kind. */
const searched = `lower(j.id || ' ' || coalesce(j.labels, '') || ' ' ||
  coalesce(json_extract(s.spec, '$.seedUrls[0]', '$.urls[0]', '$.sitemapUrl'), ''))`

type Condition = [(place: string) => string, SQLInputValue | undefined]

function conditionsOf(filter: JobFilter): Condition[] {
  const { states, labels } = filter
  const label = (name: string, value: string): Condition => [
    place => `EXISTS (SELECT 1 FROM json_each(j.labels) l WHERE json_array(l.key, l.value) = ${place})`,
    JSON.stringify([name, value]),
  ]
  return [
    [place => `j.workspace = ${place}`, filter.workspace],
    [place => `j.state IN (SELECT value FROM json_each(${place}))`, states && JSON.stringify(states)],
    [place => `j.face = ${place}`, filter.face],
    [place => `j.key_id = ${place}`, filter.keyId],
    [place => `j.schedule_id = ${place}`, filter.scheduleId],
    [place => `j.created_at >= ${place}`, filter.createdFrom],
    [place => `j.created_at < ${place}`, filter.createdBefore],
    [place => `instr(${searched}, ${place}) > 0`, filter.text?.toLowerCase()],
    ...Object.entries(labels ?? {}).map(([name, value]) => label(name, value)),
  ]
}

type Load = Awaited<ReturnType<JobStore['load']>>

export function readLoad(
  connection: Connection,
  { workspace, keyId, face }: Pick<JobFilter, 'workspace' | 'keyId' | 'face'>,
): Load {
  const row = connection.one<{ jobs: number; tasks: number | null }>(
    `WITH unended AS (
       SELECT job_no FROM jobs WHERE state IN ('pending', 'running', 'paused', 'finishing')
         AND (?1 IS NULL OR workspace = ?1) AND (?2 IS NULL OR key_id = ?2) AND (?3 IS NULL OR face = ?3)
     )
     SELECT (SELECT count(*) FROM unended) AS jobs,
       (SELECT sum(c.value) FROM unended JOIN job_counts c USING (job_no)
        WHERE c.bucket IN ('state:pending', 'state:queued', 'state:in_progress')) AS tasks`,
    workspace ?? null,
    keyId ?? null,
    face ?? null,
  )
  return { jobs: row?.jobs ?? 0, tasks: row?.tasks ?? 0 }
}

export const readTaskCounts = (connection: Connection): Record<TaskState, number> =>
  countsOf(
    connection.all<{ bucket: string; value: number }>(
      `SELECT c.bucket, sum(c.value) AS value FROM jobs j JOIN job_counts c USING (job_no)
       WHERE j.state IN ('pending', 'running', 'paused', 'finishing') AND c.bucket LIKE 'state:%' GROUP BY c.bucket`,
    ),
  ).byState
