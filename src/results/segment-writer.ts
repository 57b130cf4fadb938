// Appends the raw pages of a batch to a segment in one durable write; each page gets its range.
import { Failure } from '../model/failures.ts'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { GzipMembers } from './gzip-members.ts'
import { newRecordId, plainWarcRecord, warcInfo } from './warc.ts'
import { plainExchange, type WarcExchange } from './warc-exchanges.ts'

export interface SegmentOptions {
  /** Named in the warcinfo record. */
  software?: string
  now?: () => number
}

/** The location of a page after its batch is flushed. */
export class PendingRef {
  #ref: BlobRef | null = null

  /** Only valid after a successful flush. */
  get ref(): BlobRef {
    if (this.#ref === null) throw new Failure('storage.failed', 'the raw page was not written')
    return this.#ref
  }

  settle(ref: BlobRef): void {
    this.#ref = ref
  }
}

/** What one reference covers: the record of a page, or all records of a scraper's run. */
interface Entry {
  records: Buffer[]
  pending: PendingRef
}

export class SegmentWriter {
  readonly #blobs: Blobs
  readonly #name: string
  readonly #options: Required<SegmentOptions>
  readonly #members = new GzipMembers()
  #batch: Entry[] = []
  #flushing: Promise<void> = Promise.resolve()

  /** `name` is from `segmentName`; how it becomes objects, and when one is full, is the backend's. */
  constructor(blobs: Blobs, name: string, options: SegmentOptions = {}) {
    this.#blobs = blobs
    this.#name = name
    this.#options = { software: 'kscrape', now: Date.now, ...options }
  }

  add(page: Page): PendingRef {
    return this.#add([plainWarcRecord(page)])
  }

  /** Several exchanges under one reference; its page is the last one. */
  addRun(exchanges: readonly WarcExchange[]): PendingRef {
    return this.#add(exchanges.flatMap(plainExchange))
  }

  #add(records: Buffer[]): PendingRef {
    const pending = new PendingRef()
    this.#batch.push({ records, pending })
    return pending
  }

  /** Durable when it resolves. If it rejects, nothing of the batch is stored, and its tasks must run again. */
  flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    const written = this.#flushing.then(() => this.#write(batch))
    this.#flushing = written.catch(() => {})
    return written
  }

  async #write(batch: Entry[]): Promise<void> {
    if (batch.length === 0) return
    const members = [this.#opening()]
    const lengths: number[] = []
    for (const { records } of batch) {
      const own: Buffer[] = []
      for (const record of records) own.push(await this.#members.member(record))
      members.push(...own)
      lengths.push(own.reduce((sum, member) => sum + member.length, 0))
    }
    const where = await this.#blobs.append(this.#name, Buffer.concat(members))
    let offset = where.offset + members[0]!.length
    for (const [index, { pending }] of batch.entries()) {
      const length = lengths[index]!
      pending.settle({ key: where.key, offset, length })
      offset += length
    }
  }

  // In every batch, because each may start a new object.
  #opening(): Buffer {
    const { software, now } = this.#options
    return warcInfo({ recordId: newRecordId(), date: now(), software })
  }
}
