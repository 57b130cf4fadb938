// The proxies that a job may use in a lane. Tasks refer to a proxy by its name.
import type { ProxyEndpoint } from '../../../fetch/proxies/endpoint.ts'
import {
  jobProxies,
  type OperatorProxies,
  operatorEndpoints,
  ownPlacesOf,
} from '../../../fetch/proxies/job-proxies.ts'
import { type ProxyPolicy, proxyPolicy, type TaskIdentity, withJobUrls } from '../../../model/policy/proxy.ts'

export class LaneProxies {
  readonly #operator: OperatorProxies
  readonly #policy: ProxyPolicy
  readonly #known = new Map<string, readonly ProxyEndpoint[]>()

  /** Jobs of an old version have no proxy policy; they use the default. */
  constructor(operator: OperatorProxies, policy: ProxyPolicy = proxyPolicy.parse({})) {
    this.#operator = operator
    this.#policy = policy
  }

  /** The proxies that match the proxy policy `via`. If undefined, the job's proxy policy is used. */
  endpointsOf(via: TaskIdentity['via']): readonly ProxyEndpoint[] {
    const key = via ? JSON.stringify(via) : ''
    const policy = via ? withJobUrls(via, this.#policy) : this.#policy
    const known = this.#known.get(key) ?? jobProxies(this.#operator, policy).endpoints ?? []
    this.#known.set(key, known)
    return known
  }

  /** The addresses and names that the egress gate must allow to connect to the proxies. Null if there are no proxies. */
  get dialling(): { ownPlaces: string[]; names: OperatorProxies['names'] } | null {
    const all = [...this.endpointsOf(undefined), ...operatorEndpoints(this.#operator)]
    return all.length === 0 ? null : { ownPlaces: ownPlacesOf(all), names: this.#operator.names }
  }
}
