// A TCP proxy between a browser and a service. A test can interrupt its connections and repair it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CutLine extends AsyncDisposable {
  /** The address of the service through the proxy. */
  readonly url: string
  /** The number of connections that were opened through this proxy. */
  readonly opened: number
  /** Closes all connections, and accepts none until `mend`. */
  cut(): void
  mend(): void
}

export async function openCutLine(to: string): Promise<CutLine> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  let opened = 0
  const server = createServer(near => {
    if (isCut) return void near.destroy()
    opened += 1
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get opened() {
      return opened
    },
    cut,
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise(done => server.close(done))
    },
  }
}
