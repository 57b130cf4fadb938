// Firecrawl webhooks: started, page, completed. This loop reads the stored state and puts each webhook into the outbox
// exactly once.
import { createHash } from 'node:crypto'
import type { Settings } from '../../../config/settings.ts'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { asFailure } from '../../../model/failures.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import type { NewWebhook, Webhook } from '../../../model/webhook.ts'
import { followJobs, type JobFollower } from '../../follow-jobs.ts'
import type { ServerParts } from '../../parts.ts'
import { documentOf } from './document.ts'
import { extractionResult } from './extract/extraction-result.ts'
import type { DocumentParts } from './source.ts'
import { recordsAfter, statusOf } from './status.ts'
import {
  type StoredRequest,
  type StoredWebhook,
  storedRequestOf,
  type WebhookEventName,
} from './stored-request.ts'

/** How many recent jobs to check at start, for events that happened while no process ran. */
const lookedBack = 1_000
const enteredAtOnce = 20

/** The numbers of the last record and the last failure of a job whose webhooks are in the outbox. */
interface Notified {
  record: number
  failure: number
}

/** A job with a webhook that has not ended. It is kept, because its spec may be long, and it is needed after each commit. */
interface Followed {
  job: Job
  place: Notified
}

type NotifyParts = DocumentParts & Pick<ServerParts, 'engine' | 'clock' | 'log' | 'sealer'>

type Retention = { settings: Pick<Settings, 'webhookRetention'> }

/** A service loop; runs until the signal is aborted. */
export async function notifyFirecrawlWebhooks(
  parts: NotifyParts & Retention,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, log, settings } = parts
  const followed = new Map<string, Followed>()
  // Webhooks of jobs that ended before this time may be deleted already. Checking these jobs would send the webhooks again.
  const since = settings.webhookRetention === 0 ? 0 : clock.now() - settings.webhookRetention
  const before = async () => {
    const recent = await store.jobs.list({ face: 'firecrawl', limit: lookedBack })
    return recent.filter(job => (job.finishedAt ?? since) >= since).map(({ id }) => id)
  }
  const follower: JobFollower = {
    before,
    concerns: name => name === 'task.settled' || name === 'job.moved',
    act: jobId => notifyJob(parts, jobId, followed),
    trouble: (error, jobId) =>
      log.warn({ err: asFailure(error), job_id: jobId }, 'webhooks of a job could not be stored'),
  }
  await followJobs(parts, follower, stopping)
}

async function notifyJob(
  parts: NotifyParts,
  jobId: string,
  followed: Map<string, Followed>,
): Promise<void | 'irrelevant'> {
  const before = followed.get(jobId)
  const job = before ? await withState(parts, before.job) : await parts.store.jobs.get(jobId)
  if (job === null) return void followed.delete(jobId)
  const kept = job.face === 'firecrawl' ? storedRequestOf(job) : null
  if (!kept?.webhook) return hasEnded(job.state) ? undefined : 'irrelevant'
  const place = { record: 0, failure: 0, ...before?.place }
  await new JobNotifications(parts, job, kept, kept.webhook).run(place)
  // Remember the progress only after all webhooks are in the outbox. A failed run is repeated, and the outbox ignores
  // repeated entries.
  if (hasEnded(job.state)) followed.delete(jobId)
  else followed.set(jobId, { job, place })
}

async function withState({ store }: NotifyParts, job: Job): Promise<Job | null> {
  const now = await store.jobs.brief(job.id)
  return now && { ...job, ...now }
}

const eventNames: Record<StoredRequest['kind'], string> = {
  ...{ crawl: 'crawl', batch: 'batch_scrape', scrape: 'batch_scrape', map: 'batch_scrape' },
  ...{ extract: 'extract', agent: 'agent', parse: 'parse' },
}

class JobNotifications {
  readonly #parts: NotifyParts
  readonly #job: Job
  readonly #kept: StoredRequest
  readonly #webhook: StoredWebhook
  #waiting: NewWebhook[] = []

  constructor(parts: NotifyParts, job: Job, kept: StoredRequest, webhook: StoredWebhook) {
    this.#parts = parts
    this.#job = job
    this.#kept = kept
    this.#webhook = webhook
  }

  async run(place: Notified): Promise<void> {
    await this.#add('started', 'started', { success: true, data: [] })
    if (this.#kept.extraction) await this.#extraction()
    else await this.#scrapes(place)
    await this.#enter()
  }

  async #scrapes(place: Notified): Promise<void> {
    await this.#pages(place)
    await this.#failures(place)
    const status = statusOf(this.#job)
    if (hasEnded(this.#job.state))
      await (status === 'completed'
        ? this.#add('completed', 'completed', { success: true, data: [] })
        : this.#add('failed', 'failed', { success: false, data: [], error: `the job is ${status}` }))
  }

  /** An extraction sends its result with the final webhook. */
  async #extraction(): Promise<void> {
    const { status, data, error } = await extractionResult(this.#parts, this.#job, this.#kept)
    if (status === 'processing') return
    if (status === 'completed') return this.#add('completed', 'completed', { success: true, data: [data] })
    const event = status === 'cancelled' && this.#kept.kind === 'agent' ? 'cancelled' : 'failed'
    return this.#add(event, event, { success: false, data: [], error })
  }

  async #pages(place: Notified): Promise<void> {
    for await (const record of recordsAfter(this.#parts, this.#job.id, place.record)) {
      const data = this.#wants('page') ? [await documentOf(this.#parts, this.#job, this.#kept, record)] : []
      await this.#add('page', `page.${record.n}`, { success: true, data })
      place.record = record.seq
    }
  }

  async #failures(place: Notified): Promise<void> {
    for (;;) {
      const failed = await this.#parts.store.tasks.failed(this.#job.id, { after: place.failure, limit: 100 })
      for (const { n, url, message, seq } of failed) {
        const error = message ?? `${url} could not be fetched`
        await this.#add('page', `page.${n}`, {
          success: false,
          data: [{ metadata: { sourceURL: url } }],
          error,
        })
        place.failure = seq
      }
      if (failed.length < 100) return
    }
  }

  #wants = (event: WebhookEventName): boolean => this.#webhook.events.includes(event)

  async #add(event: WebhookEventName, name: string, notified: Record<string, unknown>): Promise<void> {
    if (!this.#wants(event)) return
    const { id: jobId } = this.#job
    const id = `${jobId}.${name}`
    const body = JSON.stringify({
      ...notified,
      type: `${eventNames[this.#kept.kind]}.${event}`,
      id: jobId,
      webhookId: uuidOf(id),
      metadata: this.#webhook.metadata,
    })
    const createdAt = this.#parts.clock.now()
    this.#waiting.push({ id, event: 'firecrawl', url: this.#webhook.url, createdAt, body })
    if (this.#waiting.length >= enteredAtOnce) await this.#enter()
  }

  async #enter(): Promise<void> {
    if (this.#waiting.length > 0) await this.#parts.store.outbox.enter(this.#job.id, this.#waiting)
    this.#waiting = []
  }
}

/** Derives a UUID from the name. Every delivery of a webhook has the same id, so a receiver can detect duplicates. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

type HeaderParts = Pick<ServerParts, 'store' | 'sealer'>

/** Returns the extra headers that the caller requested for its webhooks. The headers of recent jobs are kept, because a job
 *  sends a webhook for each page, and its spec may be long. */
export function theirHeaders(parts: HeaderParts) {
  const recent = new RecentMap<string, Promise<Record<string, string>>>(keptHeaders)
  return async ({ event, jobId }: Pick<Webhook, 'event' | 'jobId'>): Promise<Record<string, string>> => {
    if (event !== 'firecrawl') return {}
    const headers = recent.get(jobId) ?? headersOfJob(parts, jobId)
    recent.set(jobId, headers)
    headers.catch(() => recent.delete(jobId))
    return headers
  }
}

const keptHeaders = 100

async function headersOfJob({ store, sealer }: HeaderParts, jobId: string): Promise<Record<string, string>> {
  const job = await store.jobs.get(jobId)
  const sealed = job && storedRequestOf(job).webhook?.headers
  if (!sealed) return {}
  const headers = JSON.parse(sealer.open(sealed, jobId)) as Record<string, string>
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
