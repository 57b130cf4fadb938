// Collects raw pages by domain and day, and compresses them into Parquet files in memory.
import type { Page } from '../../model/page/page.ts'
import { type ParquetColumn, ParquetFile } from './parquet-file.ts'
import type { Sink } from './sink.ts'

const columns: ParquetColumn[] = [
  { name: 'url', type: 'STRING', plain: true },
  { name: 'final_url', type: 'STRING', plain: true },
  { name: 'status', type: 'INT32' },
  { name: 'headers', type: 'JSON' },
  { name: 'fetched_at', type: 'TIMESTAMP' },
  { name: 'body', type: 'BYTE_ARRAY', plain: true },
]

interface RawPart {
  /** The folder of the file: `domain=…/date=YYYY-MM-DD`. */
  partition: string
  rows: number
  bytes: Buffer
}

export interface RawPartLimits {
  /** When the waiting pages of a partition reach this size, they become a row group. */
  groupBytes: number
  /** Limit for all waiting pages together. Above it, the partitions with the most waiting bytes become row groups. */
  waitingBytes: number
}

const megabyte = 1024 * 1024
const defaultLimits: RawPartLimits = { groupBytes: 8 * megabyte, waitingBytes: 32 * megabyte }

/** Estimated memory of a page besides its body: headers, URLs, objects. */
const overheadBytes = 2_000

interface Partition {
  name: string
  waiting: Page[]
  waitingBytes: number
  rows: number
  file: { sink: MemorySink; parquet: ParquetFile } | null
}

export class RawParts {
  readonly #limits: RawPartLimits
  #partitions = new Map<string, Partition>()
  #waitingBytes = 0

  constructor(limits: Partial<RawPartLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Size of the compressed data so far. */
  get bytes(): number {
    return this.#partitions.values().reduce((sum, { file }) => sum + (file?.sink.bytes ?? 0), 0)
  }

  async add(page: Page): Promise<void> {
    const partition = this.#partitionFor(page)
    const bytes = page.body.length + overheadBytes
    partition.waiting.push(page)
    partition.waitingBytes += bytes
    this.#waitingBytes += bytes
    if (partition.waitingBytes >= this.#limits.groupBytes) await this.#writeGroup(partition)
    if (this.#waitingBytes >= this.#limits.waitingBytes) await this.#relieve()
  }

  /** Completes the files and returns them. The next page starts new files. */
  async take(): Promise<RawPart[]> {
    const parts: RawPart[] = []
    for (const partition of this.#partitions.values()) {
      if (partition.waiting.length > 0) await this.#writeGroup(partition)
      const { sink, parquet } = partition.file!
      await parquet.finish()
      parts.push({ partition: partition.name, rows: partition.rows, bytes: sink.content() })
    }
    this.#partitions = new Map()
    return parts
  }

  #partitionFor({ finalUrl, endedAt }: Page): Partition {
    const name = partitionOf(finalUrl, endedAt)
    const known = this.#partitions.get(name)
    if (known) return known
    const made: Partition = { name, waiting: [], waitingBytes: 0, rows: 0, file: null }
    this.#partitions.set(name, made)
    return made
  }

  // Above the limit, writes the fullest partitions first, until half of the limit is used. With many hosts,
  // this gives fewer and larger row groups than writing one partition at a time.
  async #relieve(): Promise<void> {
    const byWeight = [...this.#partitions.values()].sort((a, b) => b.waitingBytes - a.waitingBytes)
    for (const partition of byWeight) {
      if (this.#waitingBytes <= this.#limits.waitingBytes / 2) return
      if (partition.waiting.length > 0) await this.#writeGroup(partition)
    }
  }

  async #writeGroup(partition: Partition): Promise<void> {
    const pages = partition.waiting
    this.#waitingBytes -= partition.waitingBytes
    partition.waiting = []
    partition.waitingBytes = 0
    partition.rows += pages.length
    partition.file ??= await openFile()
    await partition.file.parquet.writeGroup(valuesOf(pages))
  }
}

async function openFile(): Promise<NonNullable<Partition['file']>> {
  const sink = new MemorySink()
  // Write no statistics. No query needs the smallest and largest body, and computing them would compare all bodies.
  return { sink, parquet: await ParquetFile.open(sink, columns, { statistics: false }) }
}

/** Collects a file in memory, because files are small and uploaded as a whole. */
class MemorySink implements Sink {
  readonly #chunks: Buffer[] = []
  bytes = 0

  async write(chunk: string | Uint8Array): Promise<void> {
    // Copy the chunk, because the writer reuses its buffer.
    const copy = Buffer.from(chunk)
    this.#chunks.push(copy)
    this.bytes += copy.length
  }

  content(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  async sync(): Promise<void> {}
  async finish(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The partition of a page, by host and day. */
function partitionOf(url: string, fetchedAt: number): string {
  const domain = encodeURIComponent(URL.parse(url)?.hostname || 'unknown')
  return `domain=${domain}/date=${new Date(fetchedAt).toISOString().slice(0, 10)}`
}

function valuesOf(pages: Page[]): unknown[][] {
  return [
    pages.map(page => page.url),
    pages.map(page => page.finalUrl),
    pages.map(page => page.status),
    pages.map(page => page.headers),
    pages.map(page => new Date(page.endedAt)),
    pages.map(page => page.body),
  ]
}
