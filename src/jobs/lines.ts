// Lines of a file of any size: unpacked, decoded, and never more of a line in memory than a line may have.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import { decodedText } from './decode-text.ts'
import type { RowSource } from './row-source.ts'

/** Longer lines are no URLs and no rows; they are cut here and reported by whoever reads them. */
export const maxLineLength = 1_000_000

export interface Line {
  text: string
  tooLong: boolean
}

/** The source's text in chunks, gzip undone (by magic, not by name) and its encoding found out. */
export async function* textChunks(source: RowSource): AsyncGenerator<string> {
  try {
    yield* decodedText(unpacked(source.open()))
  } catch (cause) {
    // The storage's own trouble passes; a file that is broken stays so.
    if (cause instanceof Failure) throw cause
    throw unreadable(source.name, cause as NodeJS.ErrnoException)
  }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): Failure {
  const how = cause.syscall === 'open' ? "can't be read" : "can't be read to its end"
  return new Failure('input.invalid', `${path} ${how}: ${cause.message}`, { path }, { cause })
}

async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const rest = chunks[Symbol.asyncIterator]()
  try {
    const head = await firstBytes(rest)
    const whole = following(head, rest)
    const isGzip = head[0] === 0x1f && head[1] === 0x8b
    yield* isGzip ? unzipped(whole) : whole
  } finally {
    await rest.return?.()
  }
}

const unzipBytes = 1 << 18

function unzipped(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: unzipBytes })
  // What goes wrong destroys the stream with it, so whoever reads hears of it there.
  pipeline(chunks, gunzip).catch(() => {})
  return gunzip
}

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

/** A line beyond its measure keeps its beginning, and what follows is let go as it comes. */
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
