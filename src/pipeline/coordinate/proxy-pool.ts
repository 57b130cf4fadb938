// The operator's proxies in the coordinator: the list, the health of each proxy, and a function to test a proxy.

import type { ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { ProxySet } from '../../fetch/proxies/proxy-set.ts'
import type { ProxyPolicy } from '../../model/policy/proxy.ts'

/** The result of a proxy check. `isDoubtful`: the proxy responds, but the target site cannot be reached through it. */
export interface ProxyFinding {
  /** The failure code of the check; null if the proxy is healthy. */
  trouble: string | null
  isDoubtful: boolean
}

/** The job that brings its own proxies, and the proxy policy that names them. */
export interface ProxyUse {
  jobId: string
  proxy: ProxyPolicy
}

export interface ProxyPool {
  operator: OperatorProxies
  /** The operator's proxies, which all jobs share; null if there are none. */
  proxySet: ProxySet | null
  checkEveryMs: number
  /** `target` is `host:port`, or null to test only the proxy itself. `use` is null for a proxy of the operator. */
  check: (proxy: ProxyEndpoint, target: string | null, use: ProxyUse | null) => Promise<ProxyFinding>
}
