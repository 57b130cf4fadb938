// Reads the unencrypted ClientHello of a TLS client: the parts that show which kind of client it is.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface ClientHello {
  ciphers: number[]
  /** The extensions are sorted, because browsers shuffle them. */
  extensions: number[]
  groups: number[]
  protocols: string[]
}

/** A server that reads the first message of a client and closes the connection. */
export async function startHelloListener(): Promise<
  AsyncDisposable & { url: string; place: string; heard: ClientHello[] }
> {
  const heard: ClientHello[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    let bytes = Buffer.alloc(0)
    socket.on('data', chunk => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length < 5 || bytes.length < 5 + bytes.readUInt16BE(3)) return
      heard.push(read(bytes.subarray(5)))
      socket.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ heard, place, url: `https://${place}/` },
    async [Symbol.asyncDispose]() {
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

/** GREASE values: random values that browsers add to their ClientHello. */
const isNoise = (value: number): boolean => (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff)

function read(hello: Buffer): ClientHello {
  let at = 4 + 2 + 32
  const take = (size: 1 | 2): Buffer => {
    const length = size === 1 ? hello.readUInt8(at) : hello.readUInt16BE(at)
    at += size + length
    return hello.subarray(at - length, at)
  }
  take(1)
  const ciphers = numbersIn(take(2))
  take(1)
  const extensions = new Map<number, Buffer>()
  const end = at + 2 + hello.readUInt16BE(at)
  at += 2
  while (at < end) {
    const kind = hello.readUInt16BE(at)
    at += 2
    extensions.set(kind, take(2))
  }
  return {
    ciphers,
    extensions: [...extensions.keys()].filter(kind => !isNoise(kind)).sort((a, b) => a - b),
    groups: numbersIn(extensions.get(10)?.subarray(2) ?? Buffer.alloc(0)),
    protocols: namesIn(extensions.get(16)?.subarray(2) ?? Buffer.alloc(0)),
  }
}

function numbersIn(bytes: Buffer): number[] {
  const numbers = Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2))
  return numbers.filter(number => !isNoise(number))
}

function namesIn(bytes: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]!)
    names.push(bytes.toString('latin1', at + 1, at + 1 + bytes[at]!))
  return names
}
