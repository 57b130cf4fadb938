// Documents for API callers. Small pages are parsed on the API thread, costly ones in a separate process.
import { createHash } from 'node:crypto'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import { type LookedKind, type SeenAhead, seeAhead } from '../../pipeline/submit/sample-pages.ts'
import {
  type DocumentOptions,
  isCostlyDocument,
  type MadeDocument,
  makeDocument,
} from '../../pipeline/work/documents/page-document.ts'
import type { Clock } from '../../ports/clock.ts'
import { ReaderProcess } from './page-reader.ts'

/** Timeout of a document. It is shorter than for a page of a job, because a caller waits for the document. */
const timeoutMs = 20_000
/** How long a page that was too costly is refused without a new attempt. Callers that poll a job request the same page
 *  repeatedly. */
const refusedForMs = 600_000
const mostRefused = 1_000
/** Pages and sitemaps above this size are parsed in a separate process. A compressed sitemap may become a thousand times larger
 *  when it is decompressed. */
const costlyAheadBytes = 16_000

export class DocumentReader implements AsyncDisposable {
  readonly #clock: Clock
  readonly #reader: ReaderProcess
  readonly #refused = new Map<string, { failure: Failure; until: number }>()

  constructor(
    clock: Clock,
    reader = new ReaderProcess(
      { scraperFiles: [] },
      { timeoutMs, longestMs: 3 * timeoutMs, idleMs: 300_000, isAwaited: true },
    ),
  ) {
    this.#clock = clock
    this.#reader = reader
  }

  /** Fails with `page.too-costly` if the page takes too much time or memory. */
  async make(page: Page, options: DocumentOptions): Promise<MadeDocument | null> {
    if (!isCostlyDocument(page, options)) return makeDocument(page, options)
    const key = createHash('sha256').update(JSON.stringify(options)).update(page.body).digest('base64')
    const known = this.#refused.get(key)
    if (known && known.until > this.#clock.now()) throw known.failure
    try {
      return await this.#reader.ask('document', { page, options })
    } catch (error) {
      if (error instanceof Failure && error.code === 'page.too-costly') this.#refuse(key, error)
      throw error
    }
  }

  /** Parses a page or a sitemap for a plan. */
  async seeAhead(page: Page, as: LookedKind): Promise<SeenAhead> {
    return page.body.length > costlyAheadBytes ? this.#reader.ask('ahead', { page, as }) : seeAhead(page, as)
  }

  #refuse(key: string, failure: Failure): void {
    this.#refused.delete(key)
    this.#refused.set(key, { failure, until: this.#clock.now() + refusedForMs })
    const [oldest] = this.#refused.keys()
    if (this.#refused.size > mostRefused) this.#refused.delete(oldest!)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]()
  }
}
