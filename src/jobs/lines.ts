// Lines of a file of any size: unpacked, decoded, with a length limit per line.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { politeWork } from '../lib/polite-work.ts'
import { Failure } from '../model/failures.ts'
import { decodedText } from './decode-text.ts'
import type { RowSource } from './row-source.ts'

/** Longer lines are not URLs or rows; they are cut here and reported by the reader. */
export const maxLineLength = 1_000_000

export interface Line {
  text: string
  tooLong: boolean
}

/** The source's text in chunks, gunzipped (by magic number) and decoded. */
export async function* textChunks(source: RowSource): AsyncGenerator<string> {
  const rest = politeWork()
  try {
    for await (const text of decodedText(unpacked(source)))
      for (let start = 0; start < text.length; start += pieceLength) {
        yield text.slice(start, start + pieceLength)
        await rest()
      }
  } catch (cause) {
    // Storage failures are temporary; a broken file stays broken.
    if (cause instanceof Failure) throw cause
    throw unreadable(source.name, cause as NodeJS.ErrnoException)
  }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): Failure {
  const how = cause.syscall === 'open' ? "can't be read" : "can't be read to its end"
  return new Failure('input.invalid', `${path} ${how}: ${cause.message}`, { path }, { cause })
}

/** A chunk of line breaks becomes that many rows, all created synchronously. So chunks are small. */
const pieceLength = 16_384

async function* unpacked(source: RowSource): AsyncGenerator<Buffer> {
  const rest = source.open()[Symbol.asyncIterator]()
  try {
    const head = await firstBytes(rest)
    const whole = following(head, rest)
    const isGzip = head[0] === 0x1f && head[1] === 0x8b
    yield* isGzip ? unzipped(whole, source.name) : whole
  } finally {
    await rest.return?.()
  }
}

const unzipBytes = 1 << 18

/** A table compresses to a tenth or a twentieth of its size, a bomb to a thousandth. */
const highestRatio = 200
const bytesBeforeJudging = 1 << 22

async function* unzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: unzipBytes })
  // An error destroys the stream, and the loop below throws it.
  pipeline(chunks, gunzip).catch(() => {})
  let bytes = 0
  for await (const chunk of gunzip) {
    bytes += chunk.length
    if (bytes > bytesBeforeJudging && bytes > highestRatio * gunzip.bytesWritten) throw bomb(name)
    yield chunk
  }
}

const bomb = (path: string): Failure =>
  new Failure(
    'input.invalid',
    `${path} decompresses to more than ${highestRatio} times its size, as no table does; send it uncompressed if its rows are meant`,
    { path },
  )

async function firstBytes(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const { done, value } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return head
}

async function* following(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  for (;;) {
    const { done, value } = await rest.next()
    if (done) return
    yield value
  }
}

/** Lines by LF, CRLF or CR LF split over chunks. */
export async function* linesOf(source: RowSource): AsyncGenerator<Line[]> {
  let begun = noLine
  for await (const chunk of textChunks(source)) {
    const parts = chunk.split('\n')
    const last = parts.pop()!
    const lines = parts.map((text, index) => ended(index === 0 ? longer(begun, text) : longer(noLine, text)))
    begun = longer(lines.length > 0 ? noLine : begun, last)
    if (lines.length > 0) yield lines
  }
  if (begun.text !== '') yield [ended(begun)]
}

const noLine: Line = { text: '', tooLong: false }

/** A line above the limit keeps its start; the rest is dropped. */
function longer(line: Line, more: string): Line {
  if (line.tooLong) return line
  const text = line.text + more
  return text.length > maxLineLength
    ? { text: text.slice(0, shownLength), tooLong: true }
    : { text, tooLong: false }
}

const shownLength = 200

const ended = ({ text, tooLong }: Line): Line => ({
  text: text.endsWith('\r') ? text.slice(0, -1) : text,
  tooLong,
})
