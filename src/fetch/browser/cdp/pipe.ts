// Messages over the pipe that Chromium opens with --remote-debugging-pipe: JSON, each ended by a NUL.
import type { Readable, Writable } from 'node:stream'

const end = 0

export interface Pipe {
  send(text: string): void
  close(): void
}

export interface PipeEvents {
  message(text: string): void
  /** Called once, when either direction has closed for any reason. */
  closed(): void
}

export function openPipe(output: Writable, input: Readable, events: PipeEvents): Pipe {
  const read = messageReader(events.message)
  const closed = once(events.closed)
  input.on('data', read)
  for (const stream of [input, output]) stream.on('close', closed).on('error', closed).on('end', closed)
  return {
    send: text => void output.write(`${text}\0`),
    close: () => {
      output.destroy()
      input.destroy()
    },
  }
}

/** Joins chunks only at the end of a message: markup arrives in hundreds of chunks. */
export function messageReader(message: (text: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  return chunk => {
    let from = 0
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, from)) {
      parts.push(chunk.subarray(from, at))
      const text = parts.length === 1 ? parts[0]!.toString('utf8') : Buffer.concat(parts).toString('utf8')
      parts = []
      from = at + 1
      message(text)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
}

function once(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
