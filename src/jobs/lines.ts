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

function unzipped(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip()
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
  let rest = ''
  let tooLong = false
  for await (const chunk of textChunks(source)) {
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
