// A connection to addresses that were judged: DNS is not asked again between the judgement and the connection.
import { connect, type Socket } from 'node:net'
import type { Address } from '../http/gate.ts'

/** Tries the judged addresses as Node does for a name, one after the other family by family. */
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

/** DNS cannot be called back; its answer is left alone when nobody waits any more. */
export function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    // First of all: a refusal that nobody listens to would end the process.
    work.then(resolve, reject)
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
