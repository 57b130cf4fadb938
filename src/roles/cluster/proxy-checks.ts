// Proxy checks in a cluster. The coordinator decides when to check, and a fetching worker checks, because only workers can reach
// the internet.
import type { Settings } from '../../config/settings.ts'
import { checkProxy } from '../../fetch/proxies/check.ts'
import { jobProxies, type OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import { Failure } from '../../model/failures.ts'
import { type ProxyPolicy, withJobUrls } from '../../model/policy/proxy.ts'
import type { ProxyFinding, ProxyPool } from '../../pipeline/coordinate/proxy-pool.ts'
import type { Calls } from '../../ports/calls.ts'
import { dialerFor } from '../proxy-pool.ts'
import type { KnownJobs } from './task-services/known-jobs.ts'

/** The service name of proxy checks. Every fetching worker serves it. */
const proxiesService = 'proxies'
const longestCheckMs = 30_000

/** A request to check a proxy. It does not contain the password, because each process has the passwords in its settings. */
interface ProxyQuestion {
  name: string
  target: string | null
  /** The proxy policy of a job, without the proxies that the job brings; null for a check without a job. */
  use: { jobId: string; proxy: Omit<ProxyPolicy, 'urls'> } | null
}

export const distantChecks =
  (calls: Calls): ProxyPool['check'] =>
  ({ name }, target, of) => {
    const use = of && { jobId: of.jobId, proxy: withJobUrls(of.proxy, {}) }
    return calls.ask(
      proxiesService,
      { name, target, use },
      { withinMs: longestCheckMs, late: `no worker checked the proxy ${name} in time` },
    )
  }

interface CheckParts {
  calls: Calls
  jobs: Pick<KnownJobs, 'get'>
  operator: OperatorProxies
  settings: Settings
}

export async function answerChecks(parts: CheckParts, signal: AbortSignal): Promise<void> {
  await parts.calls.serve(proxiesService, (question: ProxyQuestion) => answer(parts, question), signal)
}

async function answer(
  { jobs, operator, settings }: CheckParts,
  { name, target, use }: ProxyQuestion,
): Promise<ProxyFinding> {
  const known =
    use === null
      ? operator.proxies
      : (jobProxies(operator, withJobUrls(use.proxy, (await jobs.get(use.jobId)).spec.policy.proxy))
          .endpoints ?? [])
  const endpoint = known.find(one => one.name === name)
  if (!endpoint)
    throw new Failure(
      'input.invalid',
      `this worker has no proxy ${name}; its settings differ from those of the coordinator`,
      { name },
    )
  return checkProxy(dialerFor(operator, settings, [endpoint]), endpoint, target)
}
