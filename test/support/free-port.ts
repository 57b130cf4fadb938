// Reserves a port for a server that starts later or restarts, so that no other test gets the port.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The ports are below the system's ephemeral range, so that no other process gets the port while its server is down. */
const ports = { first: 15_000, last: 32_000 }

/** A port that stays reserved for this process until the process ends, even while no server uses the port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Other tests also look for free ports, and could take a port whose server has not started yet. An open UDP socket with the same
 *  number marks the port as taken. */
async function isReserved(port: number): Promise<boolean> {
  const mark = createSocket('udp4').unref()
  mark.bind({ port, address: '127.0.0.1', exclusive: true })
  const isOurs = await once(mark, 'listening').then(
    () => true,
    () => false,
  )
  if (!isOurs) mark.close()
  return isOurs
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const isOurs = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isOurs) return false
  server.close()
  await once(server, 'close')
  return true
}
