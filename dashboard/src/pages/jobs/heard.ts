// Jobs as they were listed, with what was heard of them since: the list and the stream come over two lines, in any order.
import type { JobSummary } from '../../api.ts'

/** By id, the last that was told; null for one that is gone. */
export type Heard = ReadonlyMap<string, JobSummary | null>

export interface Shown {
  /** Which states are shown; all where none is named. */
  states: readonly JobSummary['status'][]
  /** Whether jobs were looked for by a word: what is new may not fit it. */
  isSearched: boolean
}

/** `listed` is newest first, and so is what comes of it; each job is there once. */
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
