// HTTP requests of the service itself, not of a job: through the egress gate, without cookies and proxies.
import type { Settings } from '../../config/settings.ts'
import { EgressGate, openHttpFetch } from '../../fetch/http/index.ts'
import { userAgentOf } from '../../lib/user-agent.ts'

type HttpSettings = Pick<Settings, 'caFile' | 'userAgent' | 'contact'>

/** `allowPrivate` lists the private addresses that may be requested. */
export const openOwnHttp = (settings: HttpSettings, allowPrivate: string[]) =>
  openHttpFetch({
    gate: new EgressGate({ allowPrivate }),
    userAgent: userAgentOf(settings),
    ...(settings.caFile !== undefined && { caFile: settings.caFile }),
  })

/** Opens HTTP for one server that the operator configured. The address of this server may be private. All other private
 *  addresses are refused. */
export function openHttpTo(settings: HttpSettings, address: string) {
  const { hostname, port, protocol } = new URL(address)
  return openOwnHttp(settings, [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`])
}
