// Writes a downloaded file under another name, and renames it when it is complete.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { openWhole } from '../results/exports/sink.ts'

/** Returns the number of bytes. */
export async function writeFileWhole(
  path: string,
  stream: globalThis.ReadableStream<Uint8Array>,
): Promise<number> {
  await using sink = await openWhole(path)
  await pipeline(Readable.fromWeb(stream as ReadableStream), async chunks => {
    for await (const chunk of chunks) await sink.write(chunk as Uint8Array)
  })
  await sink.finish()
  return sink.bytes
}
