// A plain website that logs requests, and a server that sends any response.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'

export interface PlainSite extends AsyncDisposable {
  url: string
  requests: Array<{ url: string; rawHeaders: string[] }>
}

export async function startPlainSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<PlainSite> {
  const requests: PlainSite['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', rawHeaders: request.rawHeaders })
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

/** A server that sends this text for any request. */
export async function startTalker(text: string): Promise<AsyncDisposable & { url: string; place: string }> {
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ place, url: `http://${place}` },
    async [Symbol.asyncDispose]() {
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
