// Reads the lines of a file of any size: decompresses and decodes it, and limits the length of a line.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { politeWork } from '../lib/polite-work.ts'
import { Failure } from '../model/failures.ts'
import { decodedText } from './decode-text.ts'
import type { RowSource } from './row-source.ts'

/** Longer lines are neither URLs nor rows. They are cut here, and the row reader rejects them. */
export const maxLineLength = 1_000_000

export interface Line {
  text: string
  tooLong: boolean
}

/** The text of a source in chunks, decoded. It is decompressed if it starts with the magic number of gzip. */
export async function* textChunks(source: RowSource): AsyncGenerator<string> {
  const rest = politeWork()
  try {
    for await (const text of decodedText(unpacked(source)))
      for (let start = 0; start < text.length; start += pieceLength) {
        yield text.slice(start, start + pieceLength)
        await rest()
      }
  } catch (cause) {
    // A Failure comes from storage and may be temporary. Any other error means that the file is broken.
    if (cause instanceof Failure) throw cause
    throw unreadable(source.name, cause as NodeJS.ErrnoException)
  }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): Failure {
  const how = cause.syscall === 'open' ? "can't be read" : "can't be read to its end"
  return new Failure('input.invalid', `${path} ${how}: ${cause.message}`, { path }, { cause })
}

/** The size of a chunk in characters. It is small, because every character of a chunk may be a line break, and all rows
 *  of a chunk are made in one step. */
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

/** Above this ratio, a compressed file is refused as a bomb. A table compresses to a tenth or a twentieth, a bomb to a thousandth. */
const highestRatio = 200
const bytesBeforeJudging = 1 << 22

async function* unzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: unzipBytes })
  // Ignore the rejection: an error also destroys the stream, and the loop below throws it.
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
    `${path} decompresses to more than ${highestRatio} times its size, which looks like an attack; if it is a real table, send it uncompressed`,
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

/** The lines of a source. They end with LF or CRLF, which may be split over two chunks. */
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

/** Adds text to a line. Text beyond the length limit is dropped. */
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
