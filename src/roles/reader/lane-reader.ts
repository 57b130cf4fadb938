// The two reader processes of a lane. One parses costly pages. The other has as little memory as a lane, and parses pages that
// the lane would parse itself.
import type { LaneJob } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { PageReader, Reading } from '../../pipeline/work/reading.ts'
import type { ReaderStart } from './messages.ts'
import { ReaderProcess } from './page-reader.ts'

/** Limits of the reader for ordinary pages. A lane has 128 MB for several pages, so one page gets a little less. */
const laneLimits = { heapMb: 112, timeoutMs: 20_000 }

export class LaneReader implements PageReader, AsyncDisposable {
  readonly #reader: ReaderProcess
  readonly #prober: ReaderProcess

  constructor(start: ReaderStart) {
    this.#reader = new ReaderProcess(start)
    this.#prober = new ReaderProcess({ scraperFiles: [] }, laneLimits)
  }

  read(job: LaneJob, task: LeasedTask, page: Page): Promise<Reading> {
    return this.#reader.read(job, task, page)
  }

  probe(page: Page): Promise<null> {
    return this.#prober.probe(page)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]()
    await this.#prober[Symbol.asyncDispose]()
  }
}
