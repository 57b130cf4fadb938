// Connects to addresses that were already checked, without another DNS lookup.
import { connect, type Socket } from 'node:net'
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import type { Address } from '../http/gate.ts'

/** Tries the addresses as Node does for a name: it alternates between IPv4 and IPv6. */
export function socketTo(addresses: Address[], port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: 'judged.invalid',
      port,
      autoSelectFamily: true,
      lookup: (_name, _options, callback) => callback(null, addresses),
    })
    const abort = () => socket.destroy(new Error('aborted'))
    onAbort(signal, abort)
    socket.once('error', reject)
    socket.once('connect', () => {
      offAbort(signal, abort)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Resolves like `work`, or rejects when the signal is aborted. A DNS lookup cannot be cancelled, so its later result
 *  is ignored. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    // Attach the handlers before the check: an unhandled rejection would end the process.
    work.then(resolve, reject)
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
