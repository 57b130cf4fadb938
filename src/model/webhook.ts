// A webhook: a message to another server, and the state of its delivery.

/** Events: the end of a job; events of Firecrawl's clients; changes of a monitor. */
export const webhookEvents = ['job.ended', 'firecrawl', 'monitor.changed'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const webhookStates = ['pending', 'delivered', 'dead'] as const
export type WebhookState = (typeof webhookStates)[number]

/** Stored with the change that it reports, in one transaction. */
export interface NewWebhook {
  /** The `webhook-id`: one per job and event, for all deliveries. */
  id: string
  event: WebhookEvent
  url: string
  createdAt: number
  /** The body, made with the change, so that every delivery is the same. */
  body: string
}

export interface Webhook extends NewWebhook {
  workspace: string
  jobId: string
  state: WebhookState
  /** Deliveries that were tried. */
  attempts: number
  /** When it is tried next; null when it is not. */
  nextAt: number | null
}

/** The listed form, without the body. */
export type WebhookSummary = Omit<Webhook, 'body'>

/** One try to deliver. */
export interface WebhookAttempt {
  attempt: number
  at: number
  durationMs: number
  status: number | null
  /** Why it was not accepted; null if it was. */
  error: string | null
}
