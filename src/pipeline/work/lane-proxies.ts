// The proxies that a job may use, by name, for lanes whose tasks name one.
import type { ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import {
  jobProxies,
  type OperatorProxies,
  operatorEndpoints,
  ownPlacesOf,
} from '../../fetch/proxies/job-proxies.ts'
import { type ProxyPolicy, proxyPolicy, type TaskIdentity, withJobUrls } from '../../model/policy/proxy.ts'

export class LaneProxies {
  readonly #operator: OperatorProxies
  readonly #policy: ProxyPolicy
  readonly #known = new Map<string, readonly ProxyEndpoint[]>()

  /** Jobs from before proxies existed have no such policy. */
  constructor(operator: OperatorProxies, policy: ProxyPolicy = proxyPolicy.parse({})) {
    this.#operator = operator
    this.#policy = policy
  }

  /** Without `via`, the proxies of the job itself. */
  endpointsOf(via: TaskIdentity['via']): readonly ProxyEndpoint[] {
    const key = via ? JSON.stringify(via) : ''
    const policy = via ? withJobUrls(via, this.#policy) : this.#policy
    const known = this.#known.get(key) ?? jobProxies(this.#operator, policy).endpoints ?? []
    this.#known.set(key, known)
    return known
  }

  /** What is needed to connect to the proxies; null if there are none. */
  get dialling(): { ownPlaces: string[]; names: OperatorProxies['names'] } | null {
    const all = [...this.endpointsOf(undefined), ...operatorEndpoints(this.#operator)]
    return all.length === 0 ? null : { ownPlaces: ownPlacesOf(all), names: this.#operator.names }
  }
}
