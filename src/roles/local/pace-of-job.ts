// The expected pace of a job in a data directory.
import { ChangingPolicies, hostPolicies } from '../../config/host-policies.ts'
import type { Settings } from '../../config/settings.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { hasEnded, type Job } from '../../model/job.ts'
import type { JobPace } from '../../model/policy/pace.ts'
import { storedPace } from '../../pipeline/report/stored-pace.ts'
import type { DataDirectory } from '../data-directory.ts'

/** The pace of an unfinished job; null if no task waits. Works while another process runs the job. */
export async function paceOfJob(data: DataDirectory, settings: Settings, job: Job): Promise<JobPace | null> {
  if (hasEnded(job.state)) return null
  const policies = new ChangingPolicies(hostPolicies(settings))
  policies.setOverrides(await data.store.conduct.overrides())
  const userAgent = job.spec.userAgent ?? userAgentOf(settings)
  const { policyFor } = policies
  return storedPace({ store: data.store, policyFor, userAgent, now: Date.now() }, job)
}
