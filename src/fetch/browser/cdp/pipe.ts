// Messages over the pipe that Chromium opens with --remote-debugging-pipe. Each is JSON, ended by a NUL byte.
import type { Readable, Writable } from 'node:stream'

const end = 0

/** Longest message in bytes. The page can cause messages of any length, and V8 cannot build strings of more than 512
 *  MB. */
const longestMessage = 128 * 1_048_576

interface Pipe {
  send(text: string): void
  close(): void
}

interface PipeEvents {
  message(text: string): void
  /** A message was too long and is dropped. `start` holds its first bytes. */
  tooLong(start: string): void
  /** Called once, when either direction has closed for any reason. */
  closed(): void
}

export function openPipe(output: Writable, input: Readable, events: PipeEvents): Pipe {
  const read = messageReader(events)
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

/** Returns a function that takes chunks. Joins them only when a message is complete, because markup arrives in hundreds
 *  of chunks. */
export function messageReader(
  { message, tooLong }: Pick<PipeEvents, 'message' | 'tooLong'>,
  longest = longestMessage,
): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let length = 0
  /** The first bytes of a message that is too long; null while the message is within the limit. */
  let start: Buffer | null = null
  const take = (part: Buffer) => {
    length += part.length
    if (length <= longest) return void parts.push(part)
    start ??= Buffer.concat([...parts.slice(0, 2), part]).subarray(0, keptStart)
    parts = []
  }
  return chunk => {
    let from = 0
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, from)) {
      take(chunk.subarray(from, at))
      const bytes = start ?? (parts.length === 1 ? parts[0]! : Buffer.concat(parts))
      const isTooLong = start !== null
      parts = []
      length = 0
      start = null
      from = at + 1
      if (isTooLong) tooLong(bytes.toString('utf8'))
      else message(bytes.toString('utf8'))
    }
    if (from < chunk.length) take(chunk.subarray(from))
  }
}

/** Number of stored bytes of a message that is too long. If the message is a response, they contain its id. */
const keptStart = 100

function once(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
