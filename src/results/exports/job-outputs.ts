// All outputs of a running job. They grow with its commits and are complete when the job ends.
import type { Writable } from 'node:stream'
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { OutputProgress, OutputStore, RecordReader, TaskStore } from '../../ports/store.ts'
import { tableOf } from './export-job.ts'
import { type JobExport, openExport } from './open-export.ts'
import type { DescribePage } from './page-list.ts'

interface OutputParts {
  store: { records: RecordReader; tasks: TaskStore; outputs: OutputStore }
  blobs: Blobs
  stdout: Writable
  describePage?: DescribePage
}

export class JobOutputs implements AsyncDisposable {
  readonly #parts: OutputParts
  readonly #jobId: string
  readonly #exports: JobExport[]
  #working: Promise<void> = Promise.resolve()

  private constructor(parts: OutputParts, jobId: string, exports: JobExport[]) {
    this.#parts = parts
    this.#jobId = jobId
    this.#exports = exports
  }

  /** Continues each file at its stored position, also after a kill. */
  static async open(parts: OutputParts, job: Job): Promise<JobOutputs> {
    const { store, blobs, stdout, describePage } = parts
    const source = { store, blobs, stdout, job, ...(describePage && { describePage }), ...tableOf(job) }
    const known = await store.outputs.list(job.id)
    await using opened = new AsyncDisposableStack()
    const exports: JobExport[] = []
    for (const output of job.spec.output) {
      const progress = known.find(({ path, format }) => path === output.path && format === output.format)
      exports.push(opened.use(await openExport(output, source, progress)))
    }
    opened.move()
    return new JobOutputs(parts, job.id, exports)
  }

  /** Writes newly committed records. Concurrent calls run one after another. */
  advance(): Promise<void> {
    return this.#inTurn(file => file.advance())
  }

  /** Call when the job has ended. Every file is complete when the promise resolves. */
  finish(): Promise<void> {
    return this.#inTurn(file => file.finish())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#working
    for (const file of this.#exports) await file[Symbol.asyncDispose]()
  }

  #inTurn(step: (file: JobExport) => Promise<OutputProgress | null>): Promise<void> {
    const work = this.#working.then(() => this.#eachExport(step))
    this.#working = work.catch(() => {})
    return work
  }

  // Make the file durable before its progress is stored. After a kill in between, the file is truncated to the stored
  // progress.
  async #eachExport(step: (file: JobExport) => Promise<OutputProgress | null>): Promise<void> {
    for (const file of this.#exports) {
      const progress = await step(file)
      if (progress) await this.#parts.store.outputs.save(this.#jobId, progress)
    }
  }
}
