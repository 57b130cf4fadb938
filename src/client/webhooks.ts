// Webhooks of a service: deliveries, and replaying them.
import type { WebhookAttempt, WebhookEvent, WebhookState } from '../model/webhook.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export interface WebhookShown {
  webhookId: string
  jobId: string
  event: WebhookEvent
  url: string
  state: WebhookState
  attempts: number
  createdAt: string
  nextAt: string | null
}

export interface WebhookInFull extends WebhookShown {
  body: Record<string, unknown>
  log: Array<Omit<WebhookAttempt, 'at'> & { at: string }>
}

export class Webhooks {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Newest first; `dead` ones have no further attempts. */
  list(filter: { state?: WebhookState; jobId?: string } = {}): AsyncGenerator<WebhookShown> {
    return pagesOf(this.#connection, '/webhooks', 'webhooks', filter)
  }

  get(webhookId: string): Promise<WebhookInFull> {
    return this.#connection.json(pathTo`/webhooks/${webhookId}`)
  }

  replay(webhookId: string): Promise<WebhookShown> {
    return this.#connection.json(pathTo`/webhooks/${webhookId}/replay`, { method: 'POST' })
  }
}
