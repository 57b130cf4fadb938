// A port for a server that is started later, or again: nobody else is given it meanwhile.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that the system hands out to whoever wants any: nobody is given one of these while its server is away. */
const ports = { first: 15_000, last: 32_000 }

/** One that stays free until it is listened on, also between two servers: it is this process's until it ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Tests beside this one look for ports too, and find one free whose server is not up yet: its number in UDP says whose it is. */
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
