// Reserves a port for a server that starts later or restarts. No other test gets it meanwhile.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the system's ephemeral range, so that no other process gets the port while its server is down. */
const ports = { first: 15_000, last: 32_000 }

/** A port that stays reserved for this process until it ends, also while no server uses it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Other tests also search for free ports and might take one whose server is not up yet. A UDP socket on the same number marks it as
 *  taken. */
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
