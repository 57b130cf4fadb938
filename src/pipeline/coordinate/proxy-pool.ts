// Proxies in the coordinator: the operator's list, their health, and a function to test one.
import type { ProxyBook } from '../../fetch/proxies/book.ts'
import type { ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { ProxyPolicy } from '../../model/policy/proxy.ts'

/** The result of a check. `doubtful`: the proxy answers, but the site behind it cannot be reached. */
export interface ProxyFinding {
  /** The failure code; null if the proxy is healthy. */
  trouble: string | null
  isDoubtful: boolean
}

/** Identifies a proxy outside of the operator's list: by its job and its options. */
export interface ProxyUse {
  jobId: string
  proxy: ProxyPolicy
}

export interface ProxyPool {
  operator: OperatorProxies
  /** The operator's proxies, which all jobs share; null if there are none. */
  book: ProxyBook | null
  checkEveryMs: number
  /** `target` is `host:port`, or null to test only the proxy itself. */
  check: (proxy: ProxyEndpoint, target: string | null, use: ProxyUse | null) => Promise<ProxyFinding>
}
