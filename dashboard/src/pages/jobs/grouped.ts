// Shows runs of one schedule as one line of the job list: the newest run, and how the earlier runs ended.
import type { JobSummary } from '../../api.ts'

export type ListedJob = JobSummary & {
  /** The runs of the same schedule, newest first, including this one. Absent for jobs that were started by hand. */
  runs?: JobSummary[]
}

/** Groups the runs of each schedule. A group has the position of its newest run. */
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
