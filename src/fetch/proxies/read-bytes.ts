// Reads a proxy's handshake from a socket. Bytes after the handshake stay on the socket.
import type { Socket } from 'node:net'

/** Reads text up to and including `mark`. Rejects on abort, or if the peer closes the connection or sends too much. */
export async function readUntil(
  socket: Socket,
  mark: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const bytes = await gather(socket, signal, all => {
    const at = all.indexOf(mark)
    if (at === -1 && all.length > maxBytes) throw new Error('the answer is too long')
    return at === -1 ? null : at + mark.length
  })
  return bytes.toString('latin1')
}

export const readBytes = (socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> =>
  gather(socket, signal, all => (all.length >= count ? count : null))

/** Collects bytes until `enough` returns the number of bytes that belong to the response. Null means that more are
 *  needed. */
function gather(
  socket: Socket,
  signal: AbortSignal,
  enough: (all: Buffer) => number | null,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let all: Buffer = Buffer.alloc(0)
    const stop = (end: () => void) => {
      socket.off('readable', onReadable).off('error', onError).off('end', onEnd).off('close', onEnd)
      signal.removeEventListener('abort', onAbort)
      end()
    }
    const onError = (error: Error) => stop(() => reject(error))
    const onEnd = () => onError(new Error('closed'))
    const onAbort = () => onError(new Error('aborted'))
    const onReadable = () => {
      for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
        all = all.length === 0 ? chunk : Buffer.concat([all, chunk])
        try {
          const count = enough(all)
          if (count === null) continue
          return stop(() => {
            if (all.length > count) socket.unshift(all.subarray(count))
            resolve(all.subarray(0, count))
          })
        } catch (error) {
          return onError(error as Error)
        }
      }
    }
    if (signal.aborted) return reject(new Error('aborted'))
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('readable', onReadable).on('error', onError).on('end', onEnd).on('close', onEnd)
  })
}
