// Reads and writes tar archives in POSIX format as streams, with entries of any length. Any tar program can read them.

const blockBytes = 512
/** Limits of the plain header. Longer names and larger sizes need an extended header. */
const longestName = 100
const largestSize = 8 ** 11 - 1
/** Largest extended header in bytes. A path and a size need far less. */
const longestExtension = 1_048_576

interface TarEntry {
  path: string
  bytes: number
  /** Modification time in epoch ms. */
  modifiedAt: number
}

/** The header of a file. */
export function tarHead(entry: TarEntry): Buffer {
  const name = Buffer.from(entry.path)
  const more = [
    ...(name.length > longestName ? [['path', entry.path] as const] : []),
    ...(entry.bytes > largestSize ? [['size', String(entry.bytes)] as const] : []),
  ]
  const own = headBlock({ ...entry, path: name.subarray(0, longestName), type: '0' })
  return more.length === 0 ? own : Buffer.concat([extension(more, entry.modifiedAt), own])
}

/** The padding after the content of a file, which fills its last block. */
export const tarRest = (bytes: number): Buffer =>
  Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes)

function extension(fields: ReadonlyArray<readonly [string, string]>, modifiedAt: number): Buffer {
  const body = Buffer.concat(fields.map(([name, value]) => fieldOf(name, value)))
  const head = headBlock({ path: Buffer.from('PaxHeader'), bytes: body.length, modifiedAt, type: 'x' })
  return Buffer.concat([head, body, tarRest(body.length)])
}

/** One field of an extended header: `LENGTH name=value` and a line feed. The length includes its own digits. */
function fieldOf(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${name}=${value}\n`)
  let length = rest + String(rest).length
  length = rest + String(length).length
  return Buffer.from(`${length} ${name}=${value}\n`)
}

function headBlock(head: { path: Buffer; bytes: number; modifiedAt: number; type: string }): Buffer {
  const block = Buffer.alloc(blockBytes)
  head.path.copy(block, 0)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(octal(Math.min(head.bytes, largestSize), 11), 124)
  block.write(octal(Math.max(0, Math.floor(head.modifiedAt / 1_000)), 11), 136)
  block.write(' '.repeat(8), 148)
  block.write(head.type, 156)
  block.write('ustar\x0000', 257, 'latin1')
  block.write(`${octal(sumOf(block), 6)}\0 `, 148)
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

const sumOf = (block: Buffer): number => block.reduce((sum, byte) => sum + byte, 0)

export interface ReadEntry extends TarEntry {
  /** The content of the entry. Read it before you request the next entry, which skips unread content. */
  content: AsyncGenerator<Buffer>
}

/** Thrown when an archive cannot be read further. The message is the reason. */
export class BrokenTar extends Error {}

/** The files of an archive, in order. Throws `BrokenTar` if it is truncated or not a tar archive. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const reader = new Pieces(chunks)
  let more = new Map<string, string>()
  for (;;) {
    const block = await reader.exactly(blockBytes)
    if (block === null) throw new BrokenTar('it ends without the end marker')
    if (block.every(byte => byte === 0)) return
    const { type, ...plain } = readHead(block)
    if (type === 'x') {
      more = fieldsIn(await reader.whole(plain.bytes))
      continue
    }
    const bytes = more.get('size') === undefined ? plain.bytes : sizeIn(more.get('size')!, 10)
    const entry = { ...plain, path: more.get('path') ?? plain.path, bytes }
    more = new Map()
    const content = reader.pieces(bytes, entry.path)
    yield { ...entry, content }
    for await (const _ of content);
  }
}

function readHead(block: Buffer): TarEntry & { type: string } {
  const sum = Number.parseInt(block.toString('latin1', 148, 156), 8)
  block.fill(' ', 148, 156)
  if (sum !== sumOf(block)) throw new BrokenTar('a header is invalid')
  return {
    path: textIn(block, 0, longestName),
    bytes: sizeIn(textIn(block, 124, 136), 8),
    modifiedAt: (Number.parseInt(textIn(block, 136, 148), 8) || 0) * 1_000,
    type: textIn(block, 156, 157) || '0',
  }
}

const textIn = (block: Buffer, from: number, to: number): string =>
  block.toString('utf8', from, to).replace(/\0.*$/s, '').trim()

function sizeIn(text: string, base: 8 | 10): number {
  const size = (base === 8 ? /^[0-7]{1,12}$/ : /^\d{1,16}$/).test(text)
    ? Number.parseInt(text, base)
    : Number.NaN
  if (!Number.isSafeInteger(size)) throw new BrokenTar(`a header names the size ${JSON.stringify(text)}`)
  return size
}

function fieldsIn(body: Buffer): Map<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at < body.length; ) {
    const length = Number.parseInt(body.toString('latin1', at, at + 20), 10)
    if (!(length > 0)) throw new BrokenTar('an extended header can’t be read')
    const [name, ...value] = body.toString('utf8', body.indexOf(' ', at) + 1, at + length - 1).split('=')
    fields.set(name!, value.join('='))
    at += length
  }
  return fields
}

/** Reads exact lengths from a stream. */
class Pieces {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Exactly this many bytes; null at the end of the stream. */
  async exactly(bytes: number): Promise<Buffer | null> {
    const got = await Array.fromAsync(this.#upTo(bytes))
    if (got.length === 0) return null
    const all = Buffer.concat(got)
    if (all.length < bytes) throw new BrokenTar('it is cut off in a header')
    return all
  }

  async whole(bytes: number): Promise<Buffer> {
    if (bytes > longestExtension) throw new BrokenTar(`an extended header of ${bytes} bytes is invalid`)
    return Buffer.concat(await Array.fromAsync(this.pieces(bytes, 'an extended header')))
  }

  /** The content of an entry. The padding after it is skipped. */
  async *pieces(bytes: number, name: string): AsyncGenerator<Buffer> {
    let got = 0
    for await (const piece of this.#upTo(bytes)) {
      got += piece.length
      yield piece
    }
    if (got < bytes) throw new BrokenTar(`it is cut off in ${name}`)
    const rest = tarRest(bytes).length
    if (rest > 0 && (await this.exactly(rest)) === null) throw new BrokenTar(`it is cut off after ${name}`)
  }

  async *#upTo(bytes: number): AsyncGenerator<Buffer> {
    for (let wanted = bytes; wanted > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return
      const piece = this.#rest.subarray(0, wanted)
      this.#rest = this.#rest.subarray(piece.length)
      wanted -= piece.length
      yield piece
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next()
    if (next.done) return false
    this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    return this.#rest.length > 0 || this.#more()
  }
}
