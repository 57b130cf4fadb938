// How much of a job one lane does at a time, and how many requests it has in flight over all jobs.

import type { JobSpec } from '../model/job.ts'
import type { LaneJob } from '../model/lane.ts'

export interface LaneBounds {
  /** Requests in flight over all hosts and jobs. */
  concurrency: number
  lanes: number
  /** Jobs of others: none of them may have more than that. Whoever runs a job of their own may say otherwise with it. */
  isBinding: boolean
}

/** Without a rate, the lanes share what may be in flight; with one, the host table bounds it, and most tasks wait for their turn. */
export function laneSlots(
  { concurrency: wanted, policy }: Pick<JobSpec, 'concurrency' | 'policy'>,
  { concurrency: most, lanes, isBinding }: LaneBounds,
): Pick<LaneJob, 'slots' | 'inFlight'> {
  const share = (concurrency: number) => Math.max(1, Math.floor(concurrency / lanes))
  const slots = wanted ?? most
  return {
    slots: policy.host.rate === 'unlimited' ? share(slots) : slots,
    inFlight: share(isBinding ? most : slots),
  }
}
