// Lines of a file of any size: unpacked, decoded, and never more of a line in memory than a line may have.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure } from '../model/failures.ts'

/** Longer lines are no URLs and no rows; they are cut here and reported by whoever reads them. */
export const maxLineLength = 1_000_000

export interface Line {
  text: string
  tooLong: boolean
}

/** The file's text in chunks, gzip undone (by magic, not by name) and the charset settled by its byte order mark. */
export async function* textChunks(path: string): AsyncGenerator<string> {
  const head = await firstBytes(path)
  const isGzip = head[0] === 0x1f && head[1] === 0x8b
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  const unpacked: Readable = isGzip ? file.pipe(createGunzip()) : file
  file.on('error', error => unpacked.destroy(error))
  let decoder: InstanceType<typeof TextDecoder> | null = null
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      decoder ??= new TextDecoder(charsetOf(chunk))
      yield decoder.decode(chunk, { stream: true })
    }
    if (decoder) yield decoder.decode()
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${path} can't be read to its end: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } catch (cause) {
    throw new Failure(
      'input.invalid',
      `${path} can't be read: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
}

function charsetOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

/** Lines by LF, CRLF or CR LF split over chunks. */
export async function* linesOf(path: string): AsyncGenerator<Line[]> {
  let rest = ''
  let tooLong = false
  for await (const chunk of textChunks(path)) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    const lines = parts.map(text => ({ text: withoutReturn(text), tooLong: text.length > maxLineLength }))
    if (tooLong && lines[0]) lines[0].tooLong = true
    if (lines.length > 0) tooLong = false
    if (rest.length > maxLineLength) {
      rest = rest.slice(0, 200)
      tooLong = true
    }
    yield lines
  }
  if (rest !== '' || tooLong) yield [{ text: withoutReturn(rest), tooLong }]
}

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text)
