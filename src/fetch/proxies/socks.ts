// Opens a SOCKS5 tunnel (RFC 1928). Authenticates with user name and password (RFC 1929) if they are configured.
import { isIPv4, type Socket } from 'node:net'
import { Failure } from '../../model/failures.ts'
import type { TunnelTarget } from './connect-tunnel.ts'
import type { ProxyAddress } from './endpoint.ts'
import { doubtfulFailure, notThere, proxyFailure, wrongPassword } from './failures.ts'
import { readBytes } from './read-bytes.ts'

const version = 5
const noAuthentication = 0
const byPassword = 2
const addressKinds = { ipv4: 1, name: 3, ipv6: 4 } as const

/** Opens the tunnel. Call after `logInBySocks`. */
export const openSocksTunnel = (
  socket: Socket,
  proxy: ProxyAddress,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<void> => orBroken(socket, proxy, () => ask(socket, proxy, target, signal))

/** Authenticates without opening a tunnel. */
export const logInBySocks = (socket: Socket, proxy: ProxyAddress, signal: AbortSignal): Promise<void> =>
  orBroken(socket, proxy, () => greet(socket, proxy, signal))

async function orBroken(socket: Socket, proxy: ProxyAddress, talk: () => Promise<void>): Promise<void> {
  try {
    await talk()
  } catch (error) {
    socket.destroy()
    if (error instanceof Failure) throw error
    throw proxyFailure(
      proxy,
      'proxy.failed',
      `closed the connection before the tunnel was open (${(error as Error).message})`,
    )
  }
}

async function greet(socket: Socket, proxy: ProxyAddress, signal: AbortSignal): Promise<void> {
  const methods = proxy.username === null ? [noAuthentication] : [noAuthentication, byPassword]
  socket.write(Buffer.from([version, methods.length, ...methods]))
  const [theirs, method] = await readBytes(socket, 2, signal)
  if (theirs !== version) throw proxyFailure(proxy, 'proxy.failed', 'does not support SOCKS5')
  if (method === noAuthentication) return
  if (method !== byPassword || proxy.username === null) throw wrongPassword(proxy)
  await logIn(socket, proxy, signal)
}

async function logIn(socket: Socket, proxy: ProxyAddress, signal: AbortSignal): Promise<void> {
  const [user, password] = [proxy.username ?? '', proxy.password ?? ''].map(text => Buffer.from(text)) as [
    Buffer,
    Buffer,
  ]
  if (user.length > 255 || password.length > 255) throw wrongPassword(proxy)
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]))
  const [, status] = await readBytes(socket, 2, signal)
  if (status !== 0) throw wrongPassword(proxy)
}

async function ask(
  socket: Socket,
  proxy: ProxyAddress,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<void> {
  const port = Buffer.alloc(2)
  port.writeUInt16BE(target.port)
  socket.write(Buffer.concat([Buffer.from([version, 1, 0]), addressOf(proxy, target), port]))
  const [, reply, , kind] = (await readBytes(socket, 4, signal)) as unknown as number[]
  if (reply !== 0) throw refusal(proxy, target, reply ?? 1)
  await readBytes(socket, (await boundLength(socket, kind ?? 0, proxy, signal)) + 2, signal)
}

/** The target in the request: `socks5` sends the checked address, `socks5h` the name. */
function addressOf({ scheme }: ProxyAddress, { host, addresses }: TunnelTarget): Buffer {
  const address = scheme === 'socks5' ? addresses[0]?.address : undefined
  const literal = address ?? host
  if (isIPv4(literal)) return Buffer.from([addressKinds.ipv4, ...literal.split('.').map(Number)])
  if (literal.includes(':')) return Buffer.concat([Buffer.from([addressKinds.ipv6]), ipv6Bytes(literal)])
  const name = Buffer.from(literal)
  return Buffer.concat([Buffer.from([addressKinds.name, name.length]), name])
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser writes an IPv6 address in its shortest form and converts a dotted end.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const [first, last] = [groups(head), groups(tail)]
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex')
}

async function boundLength(
  socket: Socket,
  kind: number,
  proxy: ProxyAddress,
  signal: AbortSignal,
): Promise<number> {
  if (kind === addressKinds.ipv4) return 4
  if (kind === addressKinds.ipv6) return 16
  if (kind === addressKinds.name) return (await readBytes(socket, 1, signal))[0]!
  throw proxyFailure(proxy, 'proxy.failed', 'does not support SOCKS5')
}

const byItsRules = 2

/** SOCKS replies that concern the target. All other errors mean that the proxy failed. */
const aboutTarget: Record<number, { code: 'connect.failed' | 'connect.refused'; what: string }> = {
  1: { code: 'connect.failed', what: 'did not get through to' },
  3: { code: 'connect.failed', what: 'has no route to the network of' },
  4: { code: 'connect.failed', what: 'can’t reach' },
  5: { code: 'connect.refused', what: 'was refused the connection by' },
  6: { code: 'connect.failed', what: 'got a TTL expiry on the way to' },
}

function refusal(proxy: ProxyAddress, { host, port }: TunnelTarget, reply: number): Failure {
  if (reply === byItsRules) return notThere(proxy, `refuses connections to ${host}:${port}`)
  const known = aboutTarget[reply]
  if (!known) return proxyFailure(proxy, 'proxy.failed', `can't open tunnels (SOCKS reply ${reply})`)
  return doubtfulFailure(proxy, known.code, `${known.what} ${host}:${port}`)
}
