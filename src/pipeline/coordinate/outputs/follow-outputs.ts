// Writes the output files of a job while it runs. The files are written from the store, so a crash loses no record.
import type { Writable } from 'node:stream'
import type { Job } from '../../../model/job.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Store } from '../../../ports/store.ts'
import { JobOutputs } from '../../../results/exports/job-outputs.ts'
import { describePage } from '../../report/describe-page.ts'
import { RawFollower, type RawFollowerParts } from './follow-raw.ts'

/** How often output files are updated. Each update costs a commit, but users watch the files. */
const followEveryMs = 500

interface OutputParts extends Pick<RawFollowerParts, 'isShared' | 'emit' | 'stopping'> {
  store: Store
  blobs: Blobs
  clock: Clock
  stdout: Writable
}

export class OutputFollower {
  #parts: OutputParts
  #open = new Map<string, JobOutputs>()
  #raw = new Map<string, RawFollower>()
  #nextAt = 0

  constructor(parts: OutputParts) {
    this.#parts = parts
  }

  async open(job: Job): Promise<void> {
    this.#open.set(job.id, await JobOutputs.open({ ...this.#parts, describePage }, job))
    if (job.spec.results.raw === 'parquet') this.#raw.set(job.id, new RawFollower(this.#parts, job))
  }

  async follow(): Promise<void> {
    const now = this.#parts.clock.now()
    if (now < this.#nextAt) return
    this.#nextAt = now + followEveryMs
    for (const outputs of this.#open.values()) await outputs.advance()
    for (const raw of this.#raw.values()) raw.follow(now)
  }

  async finish(job: Job): Promise<void> {
    const outputs = this.#open.get(job.id)
    await outputs?.finish()
    await outputs?.[Symbol.asyncDispose]()
    this.#open.delete(job.id)
  }

  /** Exports the remaining raw pages. This takes long, so call it in the background, not in a turn of the coordinator's loop. */
  async finishRaw({ id }: Job): Promise<void> {
    const raw = this.#raw.get(id)
    await raw?.finish()
    await raw?.[Symbol.asyncDispose]()
    this.#raw.delete(id)
  }

  /** Closes the files of a job that continues later. Before that, writes all committed records. */
  async putAside(jobId: string): Promise<void> {
    const outputs = this.#open.get(jobId)
    await outputs?.advance()
    await outputs?.[Symbol.asyncDispose]()
    this.#open.delete(jobId)
    await this.#raw.get(jobId)?.[Symbol.asyncDispose]()
    this.#raw.delete(jobId)
  }

  /** Closes the files of all jobs, also of interrupted ones. Before that, writes all committed records. */
  async close(): Promise<void> {
    this.#nextAt = 0
    await this.follow()
    for (const outputs of this.#open.values()) await outputs[Symbol.asyncDispose]()
    this.#open.clear()
    for (const raw of this.#raw.values()) await raw[Symbol.asyncDispose]()
    this.#raw.clear()
  }
}
