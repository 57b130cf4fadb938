// Outputs: the files of a job grow with its records, and are whole when it ends. They follow the store, so a kill costs nothing.
import type { Writable } from 'node:stream'
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { exportRaw } from '../../results/exports/export-raw.ts'
import { JobOutputs } from '../../results/exports/job-outputs.ts'
import { exportRawIntoBlobs } from '../../results/exports/raw-into-blobs.ts'

/** Often enough to watch, seldom enough that its own commit does not matter. */
const followEveryMs = 500

export interface OutputParts {
  store: Store
  blobs: Blobs
  clock: Clock
  stdout: Writable
  /** The folder for raw pages as Parquet, for jobs that ask for it. */
  rawFolder: (jobId: string) => string
  /** In a cluster they go to the bucket from there: nobody else reaches the disk of a process. */
  rawIntoBlobs?: boolean
}

export class OutputFollower {
  #parts: OutputParts
  #open = new Map<string, JobOutputs>()
  #nextAt = 0

  constructor(parts: OutputParts) {
    this.#parts = parts
  }

  async open(job: Job): Promise<void> {
    this.#open.set(job.id, await JobOutputs.open(this.#parts, job))
  }

  async follow(): Promise<void> {
    const now = this.#parts.clock.now()
    if (now < this.#nextAt) return
    this.#nextAt = now + followEveryMs
    for (const outputs of this.#open.values()) await outputs.advance()
  }

  async finish(job: Job): Promise<void> {
    const outputs = this.#open.get(job.id)
    await outputs?.finish()
    await outputs?.[Symbol.asyncDispose]()
    this.#open.delete(job.id)
    if (job.spec.results.raw === 'parquet') await this.#exportRaw(job)
  }

  #exportRaw(job: Job): Promise<unknown> {
    const folder = this.#parts.rawFolder(job.id)
    const write = this.#parts.rawIntoBlobs ? exportRawIntoBlobs : exportRaw
    return write(this.#parts, job, folder)
  }

  /** Of a job that goes on some other day: what was committed is in its files. */
  async putAside(jobId: string): Promise<void> {
    const outputs = this.#open.get(jobId)
    await outputs?.advance()
    await outputs?.[Symbol.asyncDispose]()
    this.#open.delete(jobId)
  }

  /** What was committed is in the files, so that an interrupted job can be looked at as it is. */
  async close(): Promise<void> {
    this.#nextAt = 0
    await this.follow()
    for (const outputs of this.#open.values()) await outputs[Symbol.asyncDispose]()
    this.#open.clear()
  }
}
