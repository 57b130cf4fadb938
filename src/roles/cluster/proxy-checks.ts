// Checks of proxies in a cluster: the coordinator decides when, and a fetching worker does it, because only workers reach the internet.
import type { Settings } from '../../config/settings.ts'
import { checkProxy } from '../../fetch/proxies/check.ts'
import { jobProxies, type OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import { Failure } from '../../model/failures.ts'
import { type ProxyPolicy, withJobUrls } from '../../model/policy/proxy.ts'
import type { ProxyFinding, ProxyPool } from '../../pipeline/coordinate/proxy-pool.ts'
import type { Calls } from '../../ports/calls.ts'
import { dialerFor } from '../proxy-pool.ts'
import type { KnownJobs } from './known-jobs.ts'

/** Served by every worker that fetches. */
const proxiesService = 'proxies'
const longestCheckMs = 30_000

/** Proxies are sent by name: each process has the passwords from its settings, so messages contain none. */
interface ProxyQuestion {
  name: string
  target: string | null
  /** The requested policy, without the job's own proxies. */
  use: { jobId: string; proxy: Omit<ProxyPolicy, 'urls'> } | null
}

export const distantChecks =
  (calls: Calls): ProxyPool['check'] =>
  ({ name }, target, of) => {
    const use = of && { jobId: of.jobId, proxy: withJobUrls(of.proxy, {}) }
    return calls.ask(
      proxiesService,
      { name, target, use },
      { withinMs: longestCheckMs, late: `nobody tried ${name}` },
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
