// Raw pages of a batch go into a segment in one durable append; each page then knows its own range.
import { Failure } from '../model/failures.ts'
import type { BlobRef, Page } from '../model/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { newRecordId, warcInfo, warcRecord } from './warc.ts'

/** A few hundred objects for a million pages, and small enough that retention frees space in steps. */
const defaultSegmentBytes = 128 * 1024 * 1024

export interface SegmentOptions {
  /** A segment that reached this size is not appended to any more. */
  maxBytes?: number
  /** Named in the warcinfo record. */
  software?: string
  now?: () => number
}

/** Where a page will be once its batch is flushed. */
export class PendingRef {
  readonly length: number
  #ref: BlobRef | null = null

  constructor(length: number) {
    this.length = length
  }

  /** Readable after the flush; before, or when the flush failed, there is no such page. */
  get ref(): BlobRef {
    if (this.#ref === null) throw new Failure('storage.failed', 'the raw page was not written')
    return this.#ref
  }

  settle(key: string, offset: number): void {
    this.#ref = { key, offset, length: this.length }
  }
}

interface Batch {
  records: Buffer[]
  refs: PendingRef[]
}
const newBatch = (): Batch => ({ records: [], refs: [] })

export class SegmentWriter {
  readonly #blobs: Blobs
  readonly #name: string
  readonly #options: Required<SegmentOptions>
  #batch = newBatch()
  #segment = { number: 1, bytes: 0 }
  #flushing: Promise<void> = Promise.resolve()

  /** `name` is from `segmentName`, and no other writer has it. */
  constructor(blobs: Blobs, name: string, options: SegmentOptions = {}) {
    this.#blobs = blobs
    this.#name = name
    this.#options = { maxBytes: defaultSegmentBytes, software: 'kscrape', now: Date.now, ...options }
  }

  add(page: Page): PendingRef {
    return this.addRecord(warcRecord(page))
  }

  /** For a record that was made elsewhere, in a lane. */
  addRecord(record: Buffer): PendingRef {
    const pending = new PendingRef(record.length)
    this.#batch.records.push(record)
    this.#batch.refs.push(pending)
    return pending
  }

  /** Durable when it resolves. When it rejects, none of the batch is kept: its tasks have to be done again. */
  flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = newBatch()
    const written = this.#flushing.then(() => this.#write(batch))
    this.#flushing = written.catch(() => {})
    return written
  }

  async #write({ records, refs }: Batch): Promise<void> {
    if (records.length === 0) return
    const opening = this.#segment.bytes === 0 ? [this.#opening()] : []
    const bytes = Buffer.concat([...opening, ...records])
    const where = await this.#blobs.append(this.#segmentKey(), bytes)
    let offset = where.offset + (opening[0]?.length ?? 0)
    for (const pending of refs) {
      pending.settle(where.key, offset)
      offset += pending.length
    }
    this.#grow(bytes.length)
  }

  #grow(bytes: number): void {
    this.#segment.bytes += bytes
    if (this.#segment.bytes < this.#options.maxBytes) return
    this.#segment = { number: this.#segment.number + 1, bytes: 0 }
  }

  #segmentKey(): string {
    return `${this.#name}-${String(this.#segment.number).padStart(5, '0')}.warc.gz`
  }

  #opening(): Buffer {
    const filename = this.#segmentKey().split('/').at(-1)!
    return warcInfo({
      recordId: newRecordId(),
      date: this.#options.now(),
      filename,
      software: this.#options.software,
    })
  }
}
