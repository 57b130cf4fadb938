// HTTPS servers with good and bad certificates. They use HTTP/2 or HTTP/1.1, as the client prefers.
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'

export type TlsKind = 'good-with-own-ca' | 'expired' | 'wrong-name' | 'self-signed'

export interface TlsServerOptions {
  kind: TlsKind
  answer?: (request: Http2ServerRequest, response: Http2ServerResponse) => void
}

export interface TlsServer extends AsyncDisposable {
  /** `https://localhost:…`, without a trailing slash; the good certificate is also valid for 127.0.0.1. */
  url: string
  port: number
  /** The file of the certificate authority. It signed all certificates except the self-signed one. */
  caFile: string
  requests: { path: string; httpVersion: string }[]
  close(): Promise<void>
}

const certificateFile = (name: string) => new URL(`./certificates/${name}.pem`, import.meta.url).pathname

export async function startTlsServer({ kind, answer = greet }: TlsServerOptions): Promise<TlsServer> {
  const requests: TlsServer['requests'] = []
  const sockets = new Set<Socket>()
  const cert = readFileSync(certificateFile(kind))
  const key = readFileSync(certificateFile(`${kind}-key`))
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    requests.push({ path: request.url, httpVersion: request.httpVersion })
    answer(request, response)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('sessionError', () => {}) // a client that rejects a bad certificate is expected here
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>(resolve => server.close(() => resolve()))
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `https://localhost:${port}`
  return { url, port, caFile: certificateFile('ca'), requests, close, [Symbol.asyncDispose]: close }
}

function greet(request: Http2ServerRequest, response: Http2ServerResponse): void {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(
    `<!DOCTYPE html><title>Secure</title><h1>Secure</h1><p id="version">HTTP/${request.httpVersion}</p>`,
  )
}
