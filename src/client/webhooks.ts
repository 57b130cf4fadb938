// Webhooks of a service: lists deliveries, and replays them.
import type { WebhookInFull, WebhookShown } from '../model/api/service.ts'
import type { WebhookState } from '../model/webhook.ts'
import { type Connection, pathTo } from './connection.ts'
import { pagesOf } from './pages.ts'

export type { WebhookInFull, WebhookShown }

export class Webhooks {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Webhooks, newest first. A webhook in state `dead` gets no further attempts. */
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
