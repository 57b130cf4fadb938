// Opens a CONNECT tunnel through an HTTP proxy.
import type { Socket } from 'node:net'
import { Failure } from '../../model/failures.ts'
import type { Address } from '../http/gate.ts'
import type { ProxyAddress } from './endpoint.ts'
import { doubtfulFailure, notThere, proxyFailure, wrongPassword } from './failures.ts'
import { readUntil } from './read-bytes.ts'

export interface TunnelTarget {
  host: string
  port: number
  /** The checked addresses of the target. Empty if the proxy resolves names. */
  addresses: Address[]
}

const maxHeadBytes = 16_384

/** Opens the tunnel. The request contains the host name instead of an address, so that the proxy can choose a server
 *  near itself. */
export async function openTunnel(
  socket: Socket,
  proxy: ProxyAddress,
  { host, port }: TunnelTarget,
  signal: AbortSignal,
): Promise<void> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const authorization = basicAuthorization(proxy)
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization) lines.push(`Proxy-Authorization: ${authorization}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  try {
    const head = await readUntil(socket, '\r\n\r\n', maxHeadBytes, signal)
    const failure = refusalIn(head, proxy, authority)
    if (failure) throw failure
  } catch (error) {
    socket.destroy()
    throw error instanceof Failure ? error : brokenOff(proxy, error)
  }
}

/** The Proxy-Authorization value; null if the proxy needs no credentials. */
export function basicAuthorization({ username, password }: ProxyAddress): string | null {
  if (username === null) return null
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`
}

function refusalIn(head: string, proxy: ProxyAddress, authority: string): Failure | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1] ?? 0)
  if (status >= 200 && status < 300) return null
  if (status === 0) return proxyFailure(proxy, 'proxy.failed', 'answered with something that is not HTTP')
  if (status === 407) return wrongPassword(proxy)
  if (status >= 500)
    return doubtfulFailure(proxy, 'connect.failed', `did not get through to ${authority} (${status})`)
  return notThere(proxy, `refuses connections to ${authority} (${status})`)
}

const brokenOff = (proxy: ProxyAddress, error: unknown): Failure =>
  proxyFailure(
    proxy,
    'proxy.failed',
    `closed the connection before the tunnel was open (${(error as Error).message})`,
  )
