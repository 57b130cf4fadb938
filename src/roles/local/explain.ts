// Why a URL of a job in a data directory is where it is.
import { ChangingPolicies, hostPolicies } from '../../config/host-policies.ts'
import type { Settings } from '../../config/settings.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { CrawlList } from '../../pipeline/coordinate/crawl-list.ts'
import { crawlEntries } from '../../pipeline/coordinate/refresh-conduct.ts'
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
  const crawlList = new CrawlList(await crawlEntries(data.store.conduct, settings))
  const policies = new ChangingPolicies(hostPolicies(settings))
  policies.setOverrides(await data.store.conduct.overrides())
  const { policyFor } = policies
  const { ceilings } = settings
  const parts = { store: data.store, userAgent, crawlList, policyFor, ceilings, now: Date.now() }
  return explainUrl(parts, job, url)
}
