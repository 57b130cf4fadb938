// Exports raw pages as Parquet while the job runs. The exports run in the background, and less often the longer the job runs.

import type { Emit } from '../../../model/events.ts'
import { asFailure, Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { exportRaw, type RawExportParts, rawTargetOf } from '../../../results/exports/export-raw.ts'

export interface RawFollowerParts extends RawExportParts {
  /** Whether other processes share the storage. Then a coordinator that has lost its lead may still be writing. */
  isShared: boolean
  emit: Emit
  stopping: AbortSignal
}

/** The first export starts after `firstMs`. Each further export waits for `shareOfAge` of the job's age. Exports must
 *  become rare, because each one creates a file per domain and day. */
const firstMs = 1_000
const shareOfAge = 1 / 4

export class RawFollower {
  readonly #parts: RawFollowerParts
  readonly #job: Job
  readonly #closed = new AbortController()
  readonly #signal: AbortSignal
  #working: Promise<void> = Promise.resolve()
  #isWorking = false
  #isFinishing = false
  #nextAt = 0

  constructor(parts: RawFollowerParts, job: Job) {
    this.#parts = parts
    this.#job = job
    this.#signal = AbortSignal.any([parts.stopping, this.#closed.signal])
  }

  /** Starts an export in the background if one is due. A failed export is tried again later. */
  follow(now: number): void {
    if (this.#nextAt === 0) this.#nextAt = now + firstMs
    if (this.#isWorking || this.#isFinishing || now < this.#nextAt) return
    const age = now - (this.#job.startedAt ?? now)
    this.#nextAt = now + Math.max(firstMs, age * shareOfAge)
    this.#isWorking = true
    this.#working = this.#export(false)
      .catch(error => this.#complain(error))
      .finally(() => {
        this.#isWorking = false
      })
  }

  /**
   * Exports the remaining pages of a job whose tasks have ended. Throws `storage.failed` if storage fails or the
   * process stops; the job then ends later. If a page cannot be read, emits a notice, and the job can end.
   */
  async finish(): Promise<void> {
    // From now on, `follow` must start no export. An export of `follow` would lack the last pages and replace the
    // complete export.
    this.#isFinishing = true
    await this.#working
    await this.#export(true).catch(error => {
      if (this.#signal.aborted) throw new Failure('storage.failed', 'the export of raw pages was interrupted')
      if (asFailure(error).code.startsWith('storage.')) throw error
      this.#complain(error, `POST /jobs/${this.#job.id}/raw-export continues it`)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await this.#working
  }

  async #export(isOver: boolean): Promise<void> {
    const { blobs, isShared } = this.#parts
    const options = { isOver, isShared, signal: this.#signal }
    await exportRaw(this.#parts, this.#job, rawTargetOf(blobs, this.#job.id), options)
  }

  #complain(error: unknown, next = 'trying again'): void {
    if (this.#signal.aborted) return
    const message = `raw pages were not exported: ${asFailure(error).message}; ${next}`
    this.#parts.emit('notice.given', { jobId: this.#job.id, message })
  }
}
