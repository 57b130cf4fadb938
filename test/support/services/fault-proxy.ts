// A proxy in front of a service. It can interrupt a connection around a COMMIT, so that the client does not know whether the
// COMMIT happened. It can also pass no data at all.

import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** `before`: the server never receives the COMMIT. `after`: the server commits, and its response is lost. */
export type CutAt = 'before' | 'after'

export class FaultProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The number of connections that were interrupted. */
  cuts = 0
  /** If set, this is called at each COMMIT. */
  cutAt: (() => CutAt | null) | null = null
  #swallows = false

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(port: number): Promise<FaultProxy> {
    const server = createServer()
    const proxy = new FaultProxy(server)
    server.on('connection', client => proxy.#join(client, dial(port, '127.0.0.1')))
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** If true, connections are accepted, but no data pass in either direction, and no error is sent. */
  swallow(): void {
    this.#swallows = true
  }

  /** Connections that were accepted in the meantime are closed, and their data are lost. */
  passOn(): void {
    this.#swallows = false
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket, server: Socket): void {
    const cut = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', cut).on('close', () => {
        this.#sockets.delete(socket)
        cut()
      })
    }
    let isLost = false
    client.on('data', bytes => {
      if (this.#swallows) return
      const at = bytes.includes('COMMIT') ? (this.cutAt?.() ?? null) : null
      if (at !== null) this.cuts += 1
      if (at === 'before') return cut()
      if (at === 'after') isLost = true
      server.write(bytes)
    })
    server.on('data', bytes => {
      if (isLost) cut()
      else if (!this.#swallows) client.write(bytes)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(done => this.#server.close(done))
  }
}
