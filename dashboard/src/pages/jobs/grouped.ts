// Runs of one schedule in one line of the job list: the newest, and how the ones before it ended.
import type { JobSummary } from '../../api.ts'

export type ListedJob = JobSummary & {
  /** Of the same schedule, newest first, itself included; absent for jobs that were started by hand. */
  runs?: JobSummary[]
}

/** In the order of the list: a schedule has the place of its newest run. */
export function grouped(jobs: readonly JobSummary[]): ListedJob[] {
  const bySchedule = Map.groupBy(jobs, ({ scheduleId }) => scheduleId)
  const seen = new Set<string>()
  return jobs.flatMap((job): ListedJob[] => {
    const { scheduleId } = job
    if (scheduleId === null) return [job]
    if (seen.has(scheduleId)) return []
    seen.add(scheduleId)
    return [{ ...job, runs: bySchedule.get(scheduleId)! }]
  })
}
