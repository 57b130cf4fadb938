// Tunnels through the proxy for TLS and WebSockets. They copy bytes to and from a checked address.
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import type { ProxyTarget } from './target.ts'

interface TunnelParts {
  connections: Connections
  idleMs: number
  onData: () => void
}

export class Tunnels {
  readonly #parts: TunnelParts
  readonly #open = new Map<Socket, ProxyTarget>()

  constructor(parts: TunnelParts) {
    this.#parts = parts
  }

  /** Resolves when the tunnel is connected. Rejects if the target cannot be reached. */
  async open(target: ProxyTarget, client: Socket, head: Buffer, signal: AbortSignal): Promise<void> {
    const { connections, idleMs, onData } = this.#parts
    const remote = await connections.connect(target, signal)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) remote.write(head)
    client.setNoDelay(true)
    client.setTimeout(idleMs, () => client.destroy())
    remote.on('data', onData)
    client.pipe(remote).pipe(client)
    client.once('close', () => remote.destroy())
    remote.once('close', () => client.destroy())
    this.#open.set(client, target)
    client.once('close', () => this.#open.delete(client))
  }

  closeExcept(host: string | null): void {
    for (const [client, target] of this.#open) if (target.host !== host) client.destroy()
  }
}
