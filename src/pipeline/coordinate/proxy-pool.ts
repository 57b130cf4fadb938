// What the coordinator has of proxies: the operator's own, how they are doing, and a way to try one.
import type { ProxyBook } from '../../fetch/proxies/book.ts'
import type { ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import type { ProxyPolicy } from '../../model/policy/proxy.ts'

/** What a check found. `doubtful`: the proxy answers, but what lies behind it can't be had. */
export interface ProxyFinding {
  /** Code of what is wrong; null when all is well. */
  trouble: string | null
  isDoubtful: boolean
}

/** What a proxy is not known without that is none of the operator's list: whose job, and what was asked for. */
export interface ProxyUse {
  jobId: string
  proxy: ProxyPolicy
}

export interface ProxyPool {
  operator: OperatorProxies
  /** Of the operator's own, which all jobs share; null where there are none. */
  book: ProxyBook | null
  checkEveryMs: number
  /** `target` is `host:port`, or null where only the proxy itself is tried. */
  check: (proxy: ProxyEndpoint, target: string | null, use: ProxyUse | null) => Promise<ProxyFinding>
}
