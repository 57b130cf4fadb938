// Limits the size of a task's records. A record that is too large for the store, the exports and the API fails the task.
import { Failure } from '../../model/failures.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Extracted } from '../../model/record.ts'

/** The limit for all records of a task is this many times the limit of one record. */
const recordsTogether = 10

export class RecordSizes {
  readonly #maxBytes: number
  readonly #scraper: string
  #bytes = 0

  constructor(maxBytes: number, scraper: string) {
    this.#maxBytes = maxBytes
    this.#scraper = scraper
  }

  json(value: object): string {
    const text = this.#stringify(value)
    const bytes = Buffer.byteLength(text)
    if (bytes > this.#maxBytes) throw this.#tooLarge(`a record has ${bytes} bytes`)
    this.#bytes += bytes
    const most = this.#maxBytes * recordsTogether
    if (this.#bytes > most) throw this.#tooLarge(`the records of the task have ${this.#bytes} bytes`, most)
    return text
  }

  /** Serializes a record. V8 throws a RangeError for texts of more than 512 MB; the task then fails with `record.too-large`. */
  #stringify(value: object): string {
    try {
      return JSON.stringify(value)
    } catch (error) {
      if (error instanceof RangeError) throw this.#tooLarge('a record is longer than 512 MB')
      throw error
    }
  }

  #tooLarge(what: string, most = this.#maxBytes): Failure {
    const wayOut = 'extract fewer or narrower fields, or raise policy.max_record_bytes'
    return new Failure('record.too-large', `${this.#scraper}: ${what}, more than ${most}; ${wayOut}`, {
      maxRecordBytes: this.#maxBytes,
    })
  }
}

/** Throws if the records are too large. The reader process calls this, so that a lane does not receive records that it
 *  would refuse. Records whose personal data is removed later are not checked, because they may then be small
 *  enough. */
export function refuseTooLarge({ spec }: LaneJob, scraper: string, extracted: readonly Extracted[]): void {
  if ((spec.pii ?? 'keep') !== 'keep') return
  const sizes = new RecordSizes(spec.policy.maxRecordBytes, scraper)
  for (const { data, provenance } of extracted) {
    sizes.json(data)
    sizes.json(provenance)
  }
}
