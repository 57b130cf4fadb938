// Messages over a pipe: four bytes with the length, then the value in V8's serialization. A page of 20 MB takes about 20 ms.
import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

const headBytes = 4

export function writeFrame(pipe: Writable, value: unknown): void {
  const body = serialize(value)
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(body.length)
  pipe.write(head)
  pipe.write(body)
}

/** Calls `onValue` with each message. Drops an incomplete message if the pipe breaks. */
export function readFrames(pipe: Readable, onValue: (value: unknown) => void): void {
  let chunks: Buffer[] = []
  let held = 0
  let wanted = headBytes
  let isHead = true
  pipe.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    held += chunk.length
    while (held >= wanted) {
      const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const part = all.subarray(0, wanted)
      chunks = [all.subarray(wanted)]
      held -= wanted
      if (isHead) wanted = part.readUInt32LE()
      else {
        wanted = headBytes
        onValue(deserialize(part))
      }
      isHead = !isHead
    }
  })
}
