// A crawl as an async iterator: the engine runs while the caller reads records, and stops when the caller stops.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { loadSettings } from '../config/load.ts'
import type { SettingsInput } from '../config/settings.ts'
import { isLastList } from '../lib/listed-records.ts'
import type { Job, JobSpecInput } from '../model/job.ts'
import type { PageNote, RecordData, StoredRecord } from '../model/record.ts'
import { parseJobSpec } from '../pipeline/submit/submit-job.ts'
import { recordJson } from '../results/exports/page-note.ts'
import type { Scraper } from '../scraper/define-scraper.ts'
import { Engine } from './engine.ts'

export interface CrawlRequest extends JobSpecInput {
  /** A scraper as code, in place of the id of a registered one. */
  scraper?: Scraper
  /** Settings that have priority over the config file and the environment. */
  settings?: SettingsInput
  /** Stops the crawl. The iteration then throws the reason of the signal. */
  signal?: AbortSignal
}

/** A record with notes about its page. `_input` is the row of an item; a plain URL has none. */
export type CrawledRecord<Fields = RecordData> = Fields & { _page: PageNote; _input?: RecordData }

/** Records in the order of their commits. Leaving the loop, or disposing the crawl, stops it. */
export interface Crawl<Fields> extends AsyncIterable<CrawledRecord<Fields>>, AsyncDisposable {
  /** Resolves with the job of the crawl when the job is accepted. */
  readonly job: Promise<Job>
}

const batchSize = 500

export function crawlRecords<Fields>(request: CrawlRequest): Crawl<Fields> {
  const stop = new AbortController()
  const accepted = Promise.withResolvers<Job>()
  accepted.promise.catch(() => {})
  let running: Promise<void> | null = null
  const dispose = async () => {
    stop.abort()
    await running?.catch(() => {})
  }
  return {
    job: accepted.promise,
    async *[Symbol.asyncIterator]() {
      const queue = new Handover<CrawledRecord<Fields>>()
      running = runInto(request, stop, accepted, queue)
      try {
        yield* queue.read(running)
        request.signal?.throwIfAborted()
      } finally {
        queue.close()
        await dispose()
      }
    },
    [Symbol.asyncDispose]: dispose,
  }
}

async function runInto<Fields>(
  request: CrawlRequest,
  stop: AbortController,
  accepted: PromiseWithResolvers<Job>,
  out: Handover<CrawledRecord<Fields>>,
): Promise<void> {
  const { scraper, settings: given, signal, ...spec } = request
  signal?.addEventListener('abort', () => stop.abort(), { once: true })
  if (signal?.aborted) stop.abort()
  await using opened = new AsyncDisposableStack()
  try {
    const loaded = await loadSettings({ dataDir: await dataDirOf(given, opened), ...given })
    const scrapers = scraper ? [scraper] : []
    const engine = opened.use(
      await Engine.open(loaded, {
        command: 'crawl()',
        stop: stop.signal,
        stdout: nowhere(),
        scrapers,
        lanes: 0,
      }),
    )
    const job = await engine.submit(parseJobSpec({ ...spec, ...(scraper && { scraperId: scraper.id }) }))
    accepted.resolve(job)
    await pump(engine, job, out)
  } catch (error) {
    accepted.reject(error)
    throw error
  }
}

/** Passes committed records to the reader. Waits while the reader is slower. */
async function pump<Fields>(engine: Engine, job: Job, out: Handover<CrawledRecord<Fields>>): Promise<void> {
  let after = 0
  const readOn = async (): Promise<void> => {
    for (let isMore = true; isMore; ) {
      const records = await engine.data.store.records.list(job.id, { after, limit: batchSize })
      for (const record of records) if (!(await out.give(parsedRecord<Fields>(record)))) return
      after = records.at(-1)?.seq ?? after
      isMore = !isLastList(records, batchSize)
    }
  }
  const reading = new OneAtATime(readOn)
  const unsubscribe = engine.listen(name => name === 'group.committed' && reading.start())
  await engine.run()
  unsubscribe()
  await reading.finish()
}

/** Runs work, but never twice at the same time. All calls of `start` during a run together cause one further run. */
class OneAtATime {
  readonly #work: () => Promise<void>
  #running: Promise<void> | null = null
  #again = false

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  start(): void {
    this.#again = true
    // The error is ignored, because `finish` throws it.
    this.#running ??= this.#run()
    this.#running.catch(() => {})
  }

  async finish(): Promise<void> {
    this.start()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false
      await this.#work()
    }
    this.#running = null
  }
}

const parsedRecord = <Fields>(record: StoredRecord): CrawledRecord<Fields> =>
  JSON.parse(recordJson(record)) as CrawledRecord<Fields>

/** Without a data directory, the crawl uses a temporary one and deletes it. */
async function dataDirOf(settings: SettingsInput | undefined, opened: AsyncDisposableStack): Promise<string> {
  if (settings?.dataDir) return settings.dataDir
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Passes values from a producer to a reader through a buffer of `batchSize` values. */
class Handover<Value> {
  #values: Value[] = []
  #wake = Promise.withResolvers<void>()
  #room = Promise.withResolvers<void>()
  #closed = false

  /** Waits while the buffer is full. False if the reader has stopped. */
  async give(value: Value): Promise<boolean> {
    this.#values.push(value)
    this.#wake.resolve()
    if (this.#values.length >= batchSize && !this.#closed) await this.#room.promise
    return !this.#closed
  }

  /** Call this when the caller has stopped reading, so that the producer does not wait any more. */
  close(): void {
    this.#closed = true
    this.#values = []
    this.#room.resolve()
  }

  async *read(until: Promise<void>): AsyncGenerator<Value> {
    let isOver = false
    const ended = until.finally(() => {
      isOver = true
    })
    ended.catch(() => {})
    for (;;) {
      const values = this.#values.splice(0)
      this.#room.resolve()
      this.#room = Promise.withResolvers<void>()
      yield* values
      if (this.#values.length > 0) continue
      if (isOver) return void (await ended)
      this.#wake = Promise.withResolvers<void>()
      await Promise.race([this.#wake.promise, ended])
    }
  }
}
