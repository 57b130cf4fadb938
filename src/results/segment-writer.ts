// Appends the raw pages of a batch to a segment in one durable write. Each page gets its range.
import { Failure } from '../model/failures.ts'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { newRecordId, plainWarcInfo } from './warc.ts'
import { exchangeRecords, type WarcExchange } from './warc-exchanges.ts'
import { type OriginalBody, type PartRecord, pageRecords } from './warc-parts.ts'
import { ZstdFrames } from './zstd-frames.ts'

export interface SegmentOptions {
  /** Name of the software in the warcinfo record. */
  software?: string
  now?: () => number
}

/** The location of a page, known after its batch is flushed. */
export class PendingRef {
  #ref: BlobRef | null = null

  /** Throws before the batch of the page is flushed, and if the flush failed. */
  get ref(): BlobRef {
    if (this.#ref === null) throw new Failure('storage.failed', 'the raw page was not written')
    return this.#ref
  }

  settle(ref: BlobRef): void {
    this.#ref = ref
  }
}

/** The records that one reference covers: those of a page, or of a scraper's run. */
interface Entry {
  records: PartRecord[]
  pending: PendingRef
}

/** Maximum number of bodies that later pages can share. Further bodies are stored again for each page. */
const mostShared = 100_000

export class SegmentWriter {
  readonly #blobs: Blobs
  readonly #name: string
  readonly #options: Required<SegmentOptions>
  readonly #frames = new ZstdFrames()
  /** Stored bodies of the job that can be shared, by host and digest. */
  readonly #shared = new Map<string, OriginalBody>()
  #batch: Entry[] = []
  #flushing: Promise<void> = Promise.resolve()

  /** `name` comes from `segmentName`. The backend maps it to objects, and decides when an object is full. */
  constructor(blobs: Blobs, name: string, options: SegmentOptions = {}) {
    this.#blobs = blobs
    this.#name = name
    this.#options = { software: 'kscrape', now: Date.now, ...options }
  }

  add(page: Page): PendingRef {
    return this.#add(pageRecords(page))
  }

  /** Adds several exchanges with one reference. The page of this reference is the last exchange. */
  addRun(exchanges: readonly WarcExchange[]): PendingRef {
    return this.#add(exchanges.flatMap(exchangeRecords))
  }

  #add(records: PartRecord[]): PendingRef {
    const pending = new PendingRef()
    this.#batch.push({ records, pending })
    return pending
  }

  /** The batch is durable when the promise resolves. If it rejects, the pages of the batch have no location, and their
   *  tasks must run again. */
  flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    const written = this.#flushing.then(() => this.#write(batch))
    this.#flushing = written.catch(() => {})
    return written
  }

  async #write(batch: Entry[]): Promise<void> {
    if (batch.length === 0) return
    const opening = await this.#frames.frame(this.#opening())
    const frames = [opening]
    const lengths: number[] = []
    const fresh: Array<{ record: PartRecord; offset: number; length: number }> = []
    let end = opening.length
    for (const { records } of batch) {
      const start = end
      for (const record of records) {
        const shared = record.bodyKey === null ? undefined : this.#shared.get(record.bodyKey)
        const frame = await this.#frames.frame(shared ? record.revisit!(shared) : record.bytes)
        if (record.bodyKey !== null && !shared) fresh.push({ record, offset: end, length: frame.length })
        frames.push(frame)
        end += frame.length
      }
      lengths.push(end - start)
    }
    const where = await this.#blobs.append(this.#name, Buffer.concat(frames))
    for (const { record, offset, length } of fresh)
      this.#share(record, { key: where.key, offset: where.offset + offset, length })
    let offset = where.offset + opening.length
    for (const [index, { pending }] of batch.entries()) {
      const length = lengths[index]!
      pending.settle({ key: where.key, offset, length })
      offset += length
    }
  }

  /** Registers a body for later pages. Called after the append, because the position is unknown before, and the append
   *  may fail. */
  #share({ bodyKey, original }: PartRecord, at: BlobRef): void {
    if (this.#shared.size < mostShared) this.#shared.set(bodyKey!, { ...original!, at })
  }

  // The warcinfo record is in every batch, because each batch may start a new object.
  #opening(): Buffer {
    const { software, now } = this.#options
    return plainWarcInfo({ recordId: newRecordId(), date: now(), software })
  }
}
