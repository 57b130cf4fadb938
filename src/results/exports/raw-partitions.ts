// Raw pages gathered by partition and written as row groups, with bounded memory and open files.
import { join } from 'node:path'
import type { Page } from '../../model/page/page.ts'
import { type ParquetColumn, ParquetFile } from './parquet-file.ts'
import { partitionOf } from './raw-folder.ts'
import { openWhole, type Sink } from './sink.ts'

const columns: ParquetColumn[] = [
  { name: 'url', type: 'STRING', plain: true },
  { name: 'final_url', type: 'STRING', plain: true },
  { name: 'status', type: 'INT32' },
  { name: 'headers', type: 'JSON' },
  { name: 'fetched_at', type: 'TIMESTAMP' },
  { name: 'body', type: 'BYTE_ARRAY', plain: true },
]

export interface PartitionLimits {
  /** Pages of one partition become a row group when they reach this. */
  groupBytes: number
  /** All pages that wait, over all partitions. */
  waitingBytes: number
  /** A part that reached this is followed by the next. */
  partBytes: number
  openFiles: number
}

/** What a page takes in memory beside its body: headers, addresses, objects. */
const overheadBytes = 2_000

const megabyte = 1024 * 1024
const defaultLimits: PartitionLimits = {
  groupBytes: 8 * megabyte,
  waitingBytes: 32 * megabyte,
  partBytes: 256 * megabyte,
  openFiles: 32,
}

interface Partition {
  folder: string
  waiting: Page[]
  waitingBytes: number
  parts: number
  file: { sink: Sink; parquet: ParquetFile } | null
}

export class RawPartitions implements AsyncDisposable {
  readonly #folder: string
  readonly #limits: PartitionLimits
  readonly #partitions = new Map<string, Partition>()
  /** Those with an open file, least recently written first. */
  readonly #open = new Set<Partition>()
  #waitingBytes = 0
  #writtenBytes = 0

  constructor(folder: string, limits: Partial<PartitionLimits> = {}) {
    this.#folder = folder
    this.#limits = { ...defaultLimits, ...limits }
  }

  get bytes(): number {
    return this.#writtenBytes
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

  async finish(): Promise<void> {
    for (const partition of this.#partitions.values()) {
      if (partition.waiting.length > 0) await this.#writeGroup(partition)
      if (partition.file) await this.#closePart(partition)
    }
  }

  /** What was not finished does not appear. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { file } of this.#open) await file?.sink[Symbol.asyncDispose]()
  }

  #partitionFor(page: Page): Partition {
    const folder = partitionOf(page.finalUrl, page.endedAt)
    const known = this.#partitions.get(folder)
    if (known) return known
    const made: Partition = { folder, waiting: [], waitingBytes: 0, parts: 0, file: null }
    this.#partitions.set(folder, made)
    return made
  }

  // The fullest first, down to half: over many hosts that makes fewer and larger groups than one at a time.
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
    const { sink, parquet } = await this.#fileOf(partition)
    await parquet.writeGroup(valuesOf(pages))
    if (sink.bytes >= this.#limits.partBytes) await this.#closePart(partition)
  }

  async #fileOf(partition: Partition): Promise<NonNullable<Partition['file']>> {
    this.#open.delete(partition)
    this.#open.add(partition)
    if (partition.file) return partition.file
    const [oldest] = this.#open
    if (this.#open.size > this.#limits.openFiles) await this.#closePart(oldest!)
    const part = `part-${++partition.parts}.parquet`
    const sink = await openWhole(join(this.#folder, partition.folder, part))
    // No statistics: nobody asks for the smallest body, and finding it compares them all.
    partition.file = { sink, parquet: await ParquetFile.open(sink, columns, { statistics: false }) }
    return partition.file
  }

  async #closePart(partition: Partition): Promise<void> {
    const { sink, parquet } = partition.file!
    await parquet.finish()
    await sink.finish()
    await sink[Symbol.asyncDispose]()
    this.#writtenBytes += sink.bytes
    partition.file = null
    this.#open.delete(partition)
  }
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
