// The share of a lane in the limits of a job.
import type { JobLimit, LaneJob } from '../../model/lane.ts'

/** The job with the limits that apply in one of `lanes` lanes. */
export const forOneOf = (job: LaneJob, lanes: number): LaneJob => ({ ...job, ...limitOf(job, lanes) })

/** The limits of a job in one of `lanes` lanes. If the rate is unlimited, each lane gets an equal share of the job's slots.
 *  Otherwise the host table limits the requests, so each lane may use all slots. */
export function limitOf({ id, spec, slots, inFlight }: LaneJob, lanes: number): JobLimit {
  const share = (whole: number) => Math.max(1, Math.floor(whole / lanes))
  return {
    id,
    slots: spec.policy.host.rate === 'unlimited' ? share(slots) : slots,
    ...(inFlight !== undefined && { inFlight: share(inFlight) }),
  }
}
