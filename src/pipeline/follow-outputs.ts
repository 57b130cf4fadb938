// Outputs: the files of a job grow with its records, and are whole when it ends. They follow the store, so a kill costs nothing.
import type { Writable } from 'node:stream'
import { columnsOf } from '../extract/rules/index.ts'
import type { Job, Output } from '../model/job.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { type JobExport, openExport } from '../results/exports/open-export.ts'

/** Often enough to watch, seldom enough that its own commit does not matter. */
const followEveryMs = 1_000

export interface OutputParts {
  store: Store
  blobs: Blobs
  clock: Clock
  stdout: Writable
}

export class OutputFollower {
  #parts: OutputParts
  #open = new Map<string, JobExport[]>()
  #nextAt = 0

  constructor(parts: OutputParts) {
    this.#parts = parts
  }

  async open(job: Job): Promise<void> {
    const kept = await this.#parts.store.outputs.list(job.id)
    const columns = columnsOf(job.spec.extract)
    const source = { ...this.#parts, job, ...(columns && { columns }) }
    const openOne = (output: Output) =>
      openExport(output, source, kept.find(progress => progress.path === output.path) ?? null)
    this.#open.set(job.id, await Promise.all(job.spec.output.map(openOne)))
  }

  async follow(): Promise<void> {
    const now = this.#parts.clock.now()
    if (now < this.#nextAt) return
    this.#nextAt = now + followEveryMs
    for (const [jobId, exports] of this.#open)
      for (const one of exports) await this.#save(jobId, await one.advance())
  }

  async finish(job: Job): Promise<void> {
    for (const one of this.#open.get(job.id) ?? []) {
      await this.#save(job.id, await one.finish())
      await one[Symbol.asyncDispose]()
    }
    this.#open.delete(job.id)
  }

  /** What was committed is in the files, so that an interrupted job can be looked at as it is. */
  async close(): Promise<void> {
    this.#nextAt = 0
    await this.follow()
    for (const exports of this.#open.values()) for (const one of exports) await one[Symbol.asyncDispose]()
    this.#open.clear()
  }

  async #save(jobId: string, progress: Awaited<ReturnType<JobExport['advance']>>): Promise<void> {
    if (progress) await this.#parts.store.outputs.save(jobId, progress)
  }
}
