// A server that does not know HTTP: it reads a request, writes the given bytes, and closes the connection.
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Gets the path and the head of the request. It may write any bytes at any time, and must end the socket. */
export type RawHandler = (socket: Socket, path: string, head: string) => void

export interface RawServer extends AsyncDisposable {
  /** The URL of the server, without a slash at the end. */
  url: string
  port: number
  /** The head of each request, in the order of arrival. */
  heads: string[]
  close(): Promise<void>
}

/** `answer` is one response for all paths, one response for each path, or a function. */
export async function startRawServer(
  answer: Uint8Array | string | Record<string, Uint8Array | string> | RawHandler,
): Promise<RawServer> {
  const handle = typeof answer === 'function' ? answer : writeBytes(answer)
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}) // a client that closes first is expected here
    socket.on('close', () => sockets.delete(socket))
    onHead(socket, head => {
      heads.push(head)
      handle(socket, head.split(' ')[1] ?? '/', head)
    })
  })
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>(resolve => server.close(() => resolve()))
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, heads, close, [Symbol.asyncDispose]: close }
}

function onHead(socket: Socket, then: (head: string) => void): void {
  let text = ''
  socket.on('data', function gather(chunk) {
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return
    socket.off('data', gather)
    socket.resume()
    then(text.slice(0, end))
  })
}

function writeBytes(answer: Uint8Array | string | Record<string, Uint8Array | string>): RawHandler {
  const isOne = typeof answer === 'string' || answer instanceof Uint8Array
  const missing = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
  return (socket, path) => void socket.end(isOne ? answer : (answer[path] ?? missing))
}
