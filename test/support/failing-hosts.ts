// Hosts on loopback that cannot be scraped, each for a different reason.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { startRawServer } from '../site/index.ts'
import { freePort } from './free-port.ts'

export interface FailingHost extends AsyncDisposable {
  /** The URL of the host, without a slash at the end. */
  url: string
  place: string
}

/** A host on which no server listens. */
export async function refusingHost(): Promise<FailingHost> {
  return hostAt(await freePort(), async () => {})
}

/** A host that accepts connections and never answers. */
export async function silentHost(): Promise<FailingHost> {
  const server = await startRawServer(() => {})
  return hostAt(server.port, () => server.close())
}

const listener = `
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
/** The number of connections that fill the backlog of the server. */
const places = 4

/** A suspended server with a full backlog: the system drops further attempts to connect. */
export async function slowToConnectHost(): Promise<FailingHost> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(String(line))
  child.kill('SIGSTOP')
  const sockets: Socket[] = Array.from({ length: places }, () =>
    connect(port, '127.0.0.1').on('error', () => {}),
  )
  await Promise.race(sockets.map(socket => once(socket, 'connect')))
  return hostAt(port, async () => {
    for (const socket of sockets) socket.destroy()
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
}

const hostAt = (port: number, close: () => Promise<void>): FailingHost => ({
  url: `http://127.0.0.1:${port}`,
  place: `127.0.0.1:${port}`,
  [Symbol.asyncDispose]: close,
})
