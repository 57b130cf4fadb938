// Checks a proxy by opening a tunnel, without sending anything through it.
import { asFailure } from '../../model/failures.ts'
import type { ProxyDialer } from './dial.ts'
import { addressFor, type ProxyEndpoint } from './endpoint.ts'

const checkMs = 10_000

/** Checks one proxy. If `target` is null, only the connection to the proxy is checked. HTTP proxies do not verify the
 *  password then. */
export async function checkProxy(
  dialer: ProxyDialer,
  endpoint: ProxyEndpoint,
  target: string | null,
): Promise<{ trouble: string | null; isDoubtful: boolean }> {
  const address = addressFor(endpoint, 'check')
  const place = placeIn(target)
  try {
    const socket = await (place ? dialer.tunnel(address, place, checkMs) : dialer.reach(address, checkMs))
    socket.destroy()
    return { trouble: null, isDoubtful: false }
  } catch (error) {
    const { code, details } = asFailure(error)
    if (details.blames === 'proxy' || details.proxy === undefined) return { trouble: code, isDoubtful: false }
    // The proxy works. It only refuses tunnels to this target, so there is no trouble.
    if (details.blames === 'rule') return { trouble: null, isDoubtful: false }
    return { trouble: code, isDoubtful: true }
  }
}

function placeIn(target: string | null): { host: string; port: number } | null {
  const [, host, port] = /^(.+):(\d+)$/.exec(target ?? '') ?? []
  return host && port ? { host: host.replace(/^\[|\]$/g, ''), port: Number(port) } : null
}
