// Explains the state of a URL in a job of a data directory.
import { ChangingPolicies, hostPolicies } from '../../config/host-policies.ts'
import type { Settings } from '../../config/settings.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { ConductRules } from '../../pipeline/coordinate/conduct-rules.ts'
import { type Explanation, explainUrl } from '../../pipeline/report/explain-url.ts'
import type { DataDirectory } from '../data-directory.ts'
import { jobNamed } from './look-up.ts'

export async function explain(
  data: DataDirectory,
  settings: Settings,
  jobId: string,
  url: string,
): Promise<Explanation> {
  const job = await jobNamed(data, jobId)
  const userAgent = job.spec.userAgent ?? userAgentOf(settings)
  const rules = new ConductRules(new ChangingPolicies(hostPolicies(settings)), settings)
  await rules.refresh(data.store.conduct)
  const { crawlList, policyFor } = rules
  const { ceilings } = settings
  const parts = { store: data.store, userAgent, crawlList, policyFor, ceilings, now: Date.now() }
  return explainUrl(parts, job, url)
}
