// Proxies of the coordinator: the operator's pool, and checks of unhealthy proxies.
import type { Settings } from '../config/settings.ts'
import { EgressGate, readCertificates, trusting } from '../fetch/http/index.ts'
import { checkProxy } from '../fetch/proxies/check.ts'
import { ProxyDialer } from '../fetch/proxies/dial.ts'
import type { ProxyEndpoint } from '../fetch/proxies/endpoint.ts'
import { type OperatorProxies, ownPlacesOf } from '../fetch/proxies/job-proxies.ts'
import { ProxySet } from '../fetch/proxies/proxy-set.ts'
import type { ProxyPool } from '../pipeline/coordinate/proxy-pool.ts'

type CoordinatorSettings = Pick<Settings, 'allowPrivate' | 'caFile' | 'proxyCheckMs'>

/** The operator's proxy pool. This process sends the requests that check its proxies. */
export function openProxyPool(operator: OperatorProxies, settings: CoordinatorSettings): ProxyPool {
  return {
    operator,
    proxySet: operator.proxies.length > 0 ? new ProxySet(operator.proxies) : null,
    checkEveryMs: settings.proxyCheckMs,
    check: (proxy, target) => checkProxy(dialerFor(operator, settings, [proxy]), proxy, target),
  }
}

/** Connects through the operator's proxies and through those in `also`. */
export function dialerFor(
  { proxies, names }: Pick<OperatorProxies, 'proxies' | 'names'>,
  { allowPrivate, caFile }: Pick<Settings, 'allowPrivate' | 'caFile'>,
  also: readonly ProxyEndpoint[] = [],
): ProxyDialer {
  return new ProxyDialer({
    gate: new EgressGate({ allowPrivate }),
    ownPlaces: ownPlacesOf([...proxies, ...also]),
    names,
    ...(caFile && { secureContext: trusting(readCertificates(caFile)) }),
  })
}
