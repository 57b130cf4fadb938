// Appends the raw pages of a batch to a segment in one durable write. Each page gets its range.
import { Failure } from '../model/failures.ts'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { newRecordId, plainWarcInfo, warcRecordPieces } from './warc.ts'
import { exchangeRecords, type WarcExchange } from './warc-exchanges.ts'
import { type OriginalBody, type PartRecord, pageRecords } from './warc-parts.ts'
import { isSmallRecord, zstdFrame, zstdFrameHere } from './zstd-frames.ts'

export interface SegmentOptions {
  /** Name of the software in the warcinfo record. */
  software?: string
  now?: () => number
}

/** The location of a page, known after its batch is flushed. */
export class PendingRef {
  #ref: BlobRef | null = null

  /** Throws if the batch of the page is not flushed yet, or if the flush failed. */
  get ref(): BlobRef {
    if (this.#ref === null) throw new Failure('storage.failed', 'the raw page was not written')
    return this.#ref
  }

  settle(ref: BlobRef): void {
    this.#ref = ref
  }
}

interface Packed {
  frame: Buffer
  /** The record, if later pages can share its body. */
  first?: PartRecord
}

/** The records that one reference covers: those of a page, or of a scraper's run. */
interface Entry {
  records: Array<Packed | PartRecord>
  pending: PendingRef
}

/** Maximum number of bodies that later pages can share. Other bodies are stored again for each page. */
const mostShared = 100_000

export class SegmentWriter {
  readonly #blobs: Blobs
  readonly #name: string
  readonly #options: Required<SegmentOptions>
  /** Stored bodies of this job that later pages can share, by host and digest. */
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
    return this.#add(page.parts || !isSmallRecord(page.body) ? pageRecords(page) : [packed(page)])
  }

  /** Adds several exchanges with one reference. The page of this reference is the last exchange. */
  addRun(exchanges: readonly WarcExchange[]): PendingRef {
    return this.#add(exchanges.flatMap(exchangeRecords))
  }

  #add(records: Entry['records']): PendingRef {
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
    const opening = await zstdFrame(this.#opening())
    const records = batch.flatMap(entry => entry.records)
    const frames = await Promise.all(records.map(record => ('frame' in record ? record : this.#pack(record))))
    const bytes = Buffer.concat([opening, ...frames.map(({ frame }) => frame)])
    const where = await this.#blobs.append(this.#name, bytes)
    let offset = where.offset + opening.length
    const placed = frames.values()
    for (const { records, pending } of batch) {
      const start = offset
      for (let n = 0; n < records.length; n++) {
        const { frame, first } = placed.next().value!
        if (first) this.#share(first, { key: where.key, offset, length: frame.length })
        offset += frame.length
      }
      pending.settle({ key: where.key, offset: start, length: offset - start })
    }
  }

  /** Compresses a record. If the body is already stored, the record only refers to it. */
  async #pack(record: PartRecord): Promise<Packed> {
    const { bytes, bodyKey, revisit } = record
    const stored = bodyKey === null ? undefined : this.#shared.get(bodyKey)
    if (stored) return { frame: await zstdFrame(revisit!(stored)) }
    return { frame: await zstdFrame(bytes), ...(bodyKey !== null && { first: record }) }
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

/** Compresses the page at once, so that its memory is free before V8 moves it to the old generation. */
const packed = (page: Page): Packed => ({
  frame: zstdFrameHere(warcRecordPieces(page, { recordId: newRecordId() })),
})
