// Merges the listed jobs with events. The list and the events use separate connections, so either can arrive first.
import type { JobSummary } from '../../api.ts'

/** The last event of each job by id; null for a deleted job. */
export type Heard = ReadonlyMap<string, JobSummary | null>

export interface Shown {
  /** The states to show; empty shows all. */
  states: readonly JobSummary['status'][]
  /** Whether a search is active. New jobs may not match it, so they are not added. */
  isSearched: boolean
}

/** Updates the listed jobs with the events. Both `listed` and the result are sorted newest first. Each job occurs once. */
export function withHeard(
  listed: readonly JobSummary[],
  heard: Heard,
  { states, isSearched }: Shown,
): JobSummary[] {
  const fits = (job: JobSummary) => states.length === 0 || states.includes(job.status)
  const known = new Set(listed.map(({ jobId }) => jobId))
  const isNew = (job: JobSummary) =>
    !isSearched && !known.has(job.jobId) && (!listed[0] || listed[0].createdAt <= job.createdAt)
  const added = [...heard.values()].filter(job => job !== null).filter(isNew)
  added.sort((one, other) => other.createdAt.localeCompare(one.createdAt))
  const now = listed.map(job => (heard.has(job.jobId) ? heard.get(job.jobId)! : job))
  return [...added, ...now.filter(job => job !== null)].filter(fits)
}
