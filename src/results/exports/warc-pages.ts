// The pages in a WARC file, read as a stream: no more of it is in memory than the longest record.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Page } from '../../model/page/page.ts'
import { blockAt, pageOfRecord, responseOf } from '../warc-reader.ts'

/** `compressed` is a `.warc.gz` in pieces of any size. Only responses are pages. */
export async function* pagesInWarc(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Page> {
  const unpacked = createGunzip()
  const feeding = pipeline(Readable.from(compressed), unpacked)
  // The reader below hears of it as the error of its stream.
  feeding.catch(() => {})
  let waiting: Buffer[] = []
  let bytes = 0
  let needed = 0
  for await (const chunk of unpacked) {
    waiting.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes < needed) continue
    let rest = Buffer.concat(waiting)
    for (
      let length = recordLength(rest);
      length !== null && length <= rest.length;
      length = recordLength(rest)
    ) {
      const block = blockAt(rest, 0)
      rest = rest.subarray(length)
      if (block.headers.get('WARC-Type') === 'response') yield pageOfRecord(responseOf(block))
    }
    waiting = [rest]
    bytes = rest.length
    needed = recordLength(rest) ?? 0
  }
  await feeding
}

/** Of the record at the beginning, with the two line ends after it; null while its fields are not all there. */
function recordLength(bytes: Buffer): number | null {
  const fields = bytes.indexOf('\r\n\r\n')
  if (fields === -1) return null
  const length = /\r\nContent-Length: *(\d+)/i.exec(bytes.toString('latin1', 0, fields + 2))?.[1]
  return fields + 4 + Number(length) + 4
}
