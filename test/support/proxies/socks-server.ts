// A small SOCKS5 server for tests, with a log of requests.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface SocksVisit {
  /** The requested target: a name or an address, and the port. */
  target: string
  kind: 'name' | 'address'
  /** `user:password` as sent; null if the server requires none. */
  credentials: string | null
}

export interface SocksOptions {
  credentials?: string
  hosts?: Record<string, { host: string; port: number }>
}

export class SocksServer implements AsyncDisposable {
  readonly visits: SocksVisit[] = []
  /** The passwords that clients sent. */
  readonly tried: string[] = []
  readonly #options: SocksOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(options: SocksOptions) {
    this.#options = options
    this.#server = createServer(socket => void this.#serve(socket).catch(() => socket.destroy()))
  }

  static async start(options: SocksOptions = {}): Promise<SocksServer> {
    const socks = new SocksServer(options)
    socks.#server.listen(0, '127.0.0.1')
    await once(socks.#server, 'listening')
    return socks
  }

  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get name(): string {
    return `socks5://${this.place}`
  }

  get url(): string {
    const { credentials } = this.#options
    return `socks5://${credentials ? `${credentials}@` : ''}${this.place}`
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    const read = reader(socket)
    const [, methods] = await read(2)
    const offered = [...(await read(methods!))]
    const credentials = await this.#logIn(socket, read, offered)
    if (credentials === false) return
    const [, , , kind] = await read(4)
    const host = await hostOf(read, kind!)
    const port = (await read(2)).readUInt16BE()
    this.visits.push({ target: `${host}:${port}`, kind: kind === 3 ? 'name' : 'address', credentials })
    this.#join(socket, this.#options.hosts?.[host] ?? { host, port })
  }

  async #logIn(socket: Socket, read: Read, offered: number[]): Promise<string | null | false> {
    const { credentials } = this.#options
    if (credentials === undefined) {
      socket.write(Buffer.from([5, 0]))
      return null
    }
    if (!offered.includes(2)) {
      socket.end(Buffer.from([5, 255]))
      return false
    }
    socket.write(Buffer.from([5, 2]))
    const [, userLength] = await read(2)
    const user = await read(userLength!)
    const [passwordLength] = await read(1)
    const given = `${user}:${await read(passwordLength!)}`
    this.tried.push(given)
    socket.write(Buffer.from([1, given === credentials ? 0 : 1]))
    return given === credentials ? given : false
  }

  #join(client: Socket, to: { host: string; port: number }): void {
    const remote = connect(to.port, to.host, () => {
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
      remote.pipe(client).pipe(remote)
    })
    this.#sockets.add(remote)
    remote.on('error', () => client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])))
    client.once('close', () => remote.destroy())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }
}

type Read = (count: number) => Promise<Buffer>

function reader(socket: Socket): Read {
  return async count => {
    if (count === 0) return Buffer.alloc(0)
    for (;;) {
      const bytes = socket.read(count) as Buffer | null
      if (bytes) return bytes
      await Promise.race([
        once(socket, 'readable'),
        once(socket, 'close').then(() => Promise.reject(new Error('closed'))),
      ])
    }
  }
}

async function hostOf(read: Read, kind: number): Promise<string> {
  if (kind === 1) return [...(await read(4))].join('.')
  if (kind === 3) return String(await read((await read(1))[0]!))
  return (await read(16)).toString('hex').replace(/(....)(?=.)/g, '$1:')
}
