// Connects to checked addresses, without another DNS lookup in between.
import { connect, type Socket } from 'node:net'
import type { Address } from '../http/gate.ts'

/** Tries the checked addresses like Node does for a name, alternating between families. */
export function socketTo(addresses: Address[], port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: 'judged.invalid',
      port,
      autoSelectFamily: true,
      lookup: (_name, _options, callback) => callback(null, addresses),
    })
    const abort = () => socket.destroy(new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** A DNS lookup cannot be cancelled; its result is ignored after an abort. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    // First, because an unhandled rejection would end the process.
    work.then(resolve, reject)
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
