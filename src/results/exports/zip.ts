// Writes a ZIP archive as a stream. Entries are deflated, or written without compression so that readers can
// use ranges.
import { once } from 'node:events'
import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'
import type { Sink } from './sink.ts'

interface Entry {
  name: Buffer
  offset: number
  /** Size in the archive. */
  bytes: number
  /** Size before compression. */
  plainBytes: number
  crc: number
  method: 0 | 8
}

/** Largest number in 32 bits. Larger numbers need the ZIP64 fields. */
const full = 0xffffffff
/** Flags: names are UTF-8, and sizes follow the data. */
const flags = 0x0808
const version = 45
/** 1 January 1980 for all entries, so that archives of the same job are identical. */
const [time, date] = [0, 0x0021]

export class ZipFile {
  readonly #sink: Sink
  readonly #entries: Entry[] = []
  #open: Entry | null = null
  #deflate: Deflater | null = null

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async begin(name: string, { deflated = false } = {}): Promise<void> {
    const entry: Entry = {
      ...{ name: Buffer.from(name), offset: this.#sink.bytes, bytes: 0, plainBytes: 0, crc: 0 },
      method: deflated ? 8 : 0,
    }
    this.#open = entry
    this.#deflate = deflated ? new Deflater() : null
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(version, 4)
    head.writeUInt16LE(flags, 6)
    head.writeUInt16LE(entry.method, 8)
    head.writeUInt16LE(time, 10)
    head.writeUInt16LE(date, 12)
    head.writeUInt16LE(entry.name.length, 26)
    await this.#sink.write(Buffer.concat([head, entry.name]))
  }

  async write(bytes: Buffer): Promise<void> {
    const entry = this.#open!
    entry.crc = crc32(bytes, entry.crc)
    entry.plainBytes += bytes.length
    await this.#put(this.#deflate ? await this.#deflate.write(bytes) : bytes)
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#open!.bytes += bytes.length
    await this.#sink.write(bytes)
  }

  async end(): Promise<Omit<Entry, 'name'>> {
    const entry = this.#open!
    if (this.#deflate) await this.#put(await this.#deflate.end())
    const behind = Buffer.alloc(16)
    behind.writeUInt32LE(0x08074b50, 0)
    behind.writeUInt32LE(entry.crc, 4)
    behind.writeUInt32LE(entry.bytes, 8)
    behind.writeUInt32LE(entry.plainBytes, 12)
    await this.#sink.write(behind)
    this.#entries.push(entry)
    this.#open = null
    return entry
  }

  async add(name: string, text: string, options?: { deflated: boolean }): Promise<void> {
    await this.begin(name, options)
    await this.write(Buffer.from(text))
    await this.end()
  }

  /** Writes the central directory. */
  async finish(): Promise<void> {
    const start = this.#sink.bytes
    for (const entry of this.#entries) await this.#sink.write(directoryEntry(entry))
    const length = this.#sink.bytes - start
    await this.#sink.write(ending(this.#entries.length, start, length, this.#sink.bytes))
  }
}

/** Compresses in chunks to limit memory. */
class Deflater {
  readonly #stream: DeflateRaw = createDeflateRaw()
  #ready: Buffer[] = []

  constructor() {
    this.#stream.on('data', (chunk: Buffer) => this.#ready.push(chunk))
  }

  async write(bytes: Buffer): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#stream.write(bytes, error => (error ? reject(error) : resolve()))
    await promise
    return this.#take()
  }

  async end(): Promise<Buffer> {
    const ended = once(this.#stream, 'end')
    this.#stream.end()
    await ended
    return this.#take()
  }

  #take(): Buffer {
    return Buffer.concat(this.#ready.splice(0))
  }
}

function directoryEntry({ name, offset, bytes, plainBytes, crc, method }: Entry): Buffer {
  const isFar = offset >= full
  const more = Buffer.alloc(isFar ? 12 : 0)
  if (isFar) {
    more.writeUInt16LE(1, 0)
    more.writeUInt16LE(8, 2)
    more.writeBigUInt64LE(BigInt(offset), 4)
  }
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(version, 4)
  head.writeUInt16LE(version, 6)
  head.writeUInt16LE(flags, 8)
  head.writeUInt16LE(method, 10)
  head.writeUInt16LE(time, 12)
  head.writeUInt16LE(date, 14)
  head.writeUInt32LE(crc, 16)
  head.writeUInt32LE(bytes, 20)
  head.writeUInt32LE(plainBytes, 24)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(more.length, 30)
  head.writeUInt32LE(isFar ? full : offset, 42)
  return Buffer.concat([head, name, more])
}

function ending(count: number, start: number, length: number, at: number): Buffer {
  const isFar = start >= full || count >= 0xffff
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(Math.min(length, full), 12)
  end.writeUInt32LE(Math.min(start, full), 16)
  return isFar ? Buffer.concat([farEnding(count, start, length, at), end]) : end
}

/** The ZIP64 end records, for an archive beyond 4 GB. */
function farEnding(count: number, start: number, length: number, at: number): Buffer {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(version, 12)
  end.writeUInt16LE(version, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(length), 40)
  end.writeBigUInt64LE(BigInt(start), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(at), 64)
  end.writeUInt32LE(1, 72)
  return end
}
