// A receiver of webhooks that returns the messages of one job.
import { found } from './eventually.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

export interface Callback {
  path: string
  id: string
  body: Record<string, unknown>
}

export class Callbacks implements AsyncDisposable {
  readonly #receiver: WebhookReceiver

  private constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver
  }

  static async open(): Promise<Callbacks> {
    return new Callbacks(await WebhookReceiver.open())
  }

  /** `host:port`, for `allowPrivate`. */
  get place(): string {
    return this.#receiver.place
  }

  url(path: string): string {
    return `http://${this.place}${path}`
  }

  /** All messages about the job that have arrived so far. */
  of(jobId: string): Callback[] {
    return this.#receiver.received
      .map(({ path, headers, body }) => ({
        path,
        id: String(headers['webhook-id']),
        body: JSON.parse(body) as Callback['body'],
      }))
      .filter(({ body }) => body.job_id === jobId)
  }

  /** Resolves when `count` messages about the job have arrived. */
  async arrived(jobId: string, count = 1): Promise<Callback[]> {
    const all = () => (this.of(jobId).length < count ? undefined : this.of(jobId))
    return await found(`${count} webhooks of job ${jobId}`, all)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#receiver[Symbol.asyncDispose]()
  }
}
