// Jobs of a service: submit, follow, control, read results.
import type { OutputFormat } from '../model/job.ts'
import type { TableShape } from '../model/table-shape.ts'
import { ApiError, type Connection, pathTo, sleep } from './connection.ts'
import { type Download, downloadOf } from './download.ts'
import { eventsOf } from './event-stream.ts'
import type {
  CreatedJob,
  Exchange,
  Item,
  ItemFilter,
  ItemLook,
  ItemSummary,
  JobConduct,
  JobEvent,
  JobFilter,
  JobPolicy,
  JobStatus,
  JobSummary,
  JobTimeline,
  NewJob,
  RaisedLimits,
  RawExport,
  RawExportFile,
  RejectedRow,
  ResultItem,
  ResultOptions,
  ResultPage,
} from './job-types.ts'
import { pagesOf } from './pages.ts'

export interface WaitOptions {
  signal?: AbortSignal
  /** Called with every event while waiting. */
  onEvent?: (event: JobEvent) => void
  /** How long to wait for a service that does not respond, in milliseconds. */
  patienceMs?: number
}

const pollMs = 1_000
const usualPatienceMs = 120_000

export class Jobs {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Submits a job. When the promise resolves, the job is durable. A repeated call with the same `idempotencyKey` returns the
   *  same job. Without a key, a random one is used. */
  create(job: NewJob, { idempotencyKey = crypto.randomUUID() as string } = {}): Promise<CreatedJob> {
    return this.#connection.json('/jobs', { body: job, headers: { 'idempotency-key': idempotencyKey } })
  }

  /** Jobs of every API, newest first. Further pages are loaded as needed. */
  list({
    labels,
    status,
    createdFrom,
    createdBefore,
    ...filter
  }: JobFilter = {}): AsyncGenerator<JobSummary> {
    return pagesOf(this.#connection, '/jobs', 'jobs', {
      ...filter,
      status: status && [status].flat().join(','),
      label: Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`),
      createdFrom: timeText(createdFrom),
      createdBefore: timeText(createdBefore),
    })
  }

  get(jobId: string): Promise<JobStatus> {
    return this.#connection.json(pathTo`/jobs/${jobId}/status`)
  }

  /** The conduct receipt: user agent, consents, request rates. */
  conduct(jobId: string): Promise<JobConduct> {
    return this.#connection.json(pathTo`/jobs/${jobId}/conduct`)
  }

  /** Waits until the job has ended, also across restarts of the service. */
  async wait(
    jobId: string,
    { signal, onEvent, patienceMs = usualPatienceMs }: WaitOptions = {},
  ): Promise<JobStatus> {
    let lastSeen = Date.now()
    for (;;) {
      try {
        for await (const event of this.events(jobId, signal && { signal })) onEvent?.(event)
        const status = await this.get(jobId)
        lastSeen = Date.now()
        if (hasEnded(status)) return status
      } catch (error) {
        signal?.throwIfAborted()
        if (!isPassing(error) || Date.now() - lastSeen > patienceMs) throw error
      }
      await sleep(pollMs, signal)
    }
  }

  /** Yields live events. The stream ends when the job ends or the connection is lost. */
  events(jobId: string, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<JobEvent> {
    return eventsOf<JobEvent>(this.#connection, pathTo`/jobs/${jobId}/events`, signal)
  }

  /** Ended attempts over time, by outcome. */
  timeline(jobId: string, { steps }: { steps?: number } = {}): Promise<JobTimeline> {
    return this.#connection.json(pathTo`/jobs/${jobId}/timeline`, { query: { steps } })
  }

  /** Records and failures in order of arrival. */
  async *results(jobId: string, options: ResultOptions = {}): AsyncGenerator<ResultItem> {
    const { status = 'all', pageSize = 1_000, follow = false, provenance, metadata, signal } = options
    for (let cursor: string | undefined; ; ) {
      const page = await this.resultPage(jobId, {
        status,
        limit: pageSize,
        cursor,
        provenance,
        metadata,
        signal,
      })
      yield* page.items
      if (page.nextCursor === null) return
      cursor = page.nextCursor
      if (page.items.length === pageSize) continue
      if (!follow) return
      await sleep(pollMs, signal)
    }
  }

  resultPage(
    jobId: string,
    {
      signal,
      ...query
    }: {
      status?: ResultOptions['status']
      limit?: number
      cursor?: string | undefined
      provenance?: boolean | undefined
      metadata?: boolean | undefined
      signal?: AbortSignal | undefined
    } = {},
  ): Promise<ResultPage> {
    return this.#connection.json(pathTo`/jobs/${jobId}/results`, { query, signal })
  }

  /** All records as one file in the requested format. The format `warc.gz` contains raw pages instead of records. */
  async export(
    jobId: string,
    format: OutputFormat,
    { input, explode, pageColumns }: Partial<TableShape> = {},
  ): Promise<Download> {
    const query = { format, input, explode, pageColumns: pageColumns?.join(',') }
    return downloadOf(await this.#connection.send(pathTo`/jobs/${jobId}/export`, { query }))
  }

  /**
   * Starts or continues the export of raw pages as Parquet, in the storage of the service. Poll `rawExport` until its state is
   * `complete`, or `partial` for a running job.
   */
  startRawExport(jobId: string): Promise<RawExport> {
    return this.#connection.json(pathTo`/jobs/${jobId}/raw-export`, { method: 'POST' })
  }

  rawExport(jobId: string): Promise<RawExport> {
    return this.#connection.json(pathTo`/jobs/${jobId}/raw-export`)
  }

  rawExportFiles(jobId: string): AsyncGenerator<RawExportFile> {
    return pagesOf(this.#connection, pathTo`/jobs/${jobId}/raw-export/files`, 'files')
  }

  async rawExportFile(jobId: string, path: string): Promise<Download> {
    return downloadOf(await this.#connection.send(pathTo`/jobs/${jobId}/raw-export/files/${path}`))
  }

  items(jobId: string, { signal, ...filter }: ItemFilter = {}): AsyncGenerator<ItemSummary> {
    return pagesOf(this.#connection, pathTo`/jobs/${jobId}/items`, 'items', filter, signal)
  }

  /** The stored page for display: markup, style sheets and images, and the elements that contain the record's fields. */
  look(jobId: string, itemId: string): Promise<ItemLook> {
    return this.#connection.json(pathTo`/jobs/${jobId}/items/${itemId}/look`)
  }

  item(jobId: string, itemId: string): Promise<Item> {
    return this.#connection.json(pathTo`/jobs/${jobId}/items/${itemId}`)
  }

  /** Requests and responses of the task: headers, redirects, times. */
  exchange(jobId: string, itemId: string): Promise<{ taskId: string; exchanges: Exchange[] }> {
    return this.#connection.json(pathTo`/jobs/${jobId}/items/${itemId}/exchange`)
  }

  /** Rows of the source that could not become tasks. */
  rejected(jobId: string): AsyncGenerator<RejectedRow> {
    return pagesOf(this.#connection, pathTo`/jobs/${jobId}/rejected`, 'rows')
  }

  /** Downloads a file of an item: `html`, `data`, `metadata`, `screenshot`, …; see `artifacts` of the item. */
  async download(jobId: string, itemId: string, artifact: string): Promise<Download> {
    const path = pathTo`/jobs/${jobId}/items/${itemId}/download`
    return downloadOf(await this.#connection.send(path, { query: { artifact } }))
  }

  /** Downloads an output file of the job. */
  async output(jobId: string, fileName: string): Promise<Download> {
    return downloadOf(await this.#connection.send(pathTo`/jobs/${jobId}/outputs/${fileName}`))
  }

  pause(jobId: string): Promise<JobSummary> {
    return this.#steer(jobId, 'pause')
  }

  resume(jobId: string): Promise<JobSummary> {
    return this.#steer(jobId, 'resume')
  }

  cancel(jobId: string): Promise<JobSummary> {
    return this.#steer(jobId, 'cancel')
  }

  /** Retries failed tasks. */
  retry(jobId: string): Promise<JobSummary> {
    return this.#steer(jobId, 'retry')
  }

  /** Sets new limits as totals; null removes a limit. A job that stopped at a limit continues. */
  raise(jobId: string, limits: RaisedLimits): Promise<JobSummary> {
    return this.#connection.json(pathTo`/jobs/${jobId}/raise`, { body: limits })
  }

  /** The policy of a job, the origin of each value, and the spent budget. */
  policy(jobId: string): Promise<JobPolicy> {
    return this.#connection.json(pathTo`/jobs/${jobId}/policy`)
  }

  /** Deletes an ended job with its records and pages. */
  async delete(jobId: string): Promise<void> {
    await this.#connection.send(pathTo`/jobs/${jobId}`, { method: 'DELETE' })
  }

  #steer(jobId: string, kind: string): Promise<JobSummary> {
    return this.#connection.json(pathTo`/jobs/${jobId}/${kind}`, { method: 'POST' })
  }
}

export const hasEnded = ({ status }: Pick<JobSummary, 'status'>): boolean =>
  ['completed', 'partially_completed', 'failed', 'cancelled'].includes(status)

/** Whether the error is temporary: the service is busy or does not respond. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500

const timeText = (time: Date | string | undefined): string | undefined =>
  time instanceof Date ? time.toISOString() : time
