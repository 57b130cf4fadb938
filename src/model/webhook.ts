// A webhook: what is told to someone else's server, and how far that got.

/** What can be told. */
export const webhookEvents = ['job.ended'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export type WebhookState = 'pending' | 'delivered' | 'dead'

/** Entered with the change that it tells of, in one transaction. */
export interface NewWebhook {
  /** The `webhook-id`: one per job and event, whatever happens to the deliveries. */
  id: string
  event: WebhookEvent
  url: string
  createdAt: number
}

export interface Webhook extends NewWebhook {
  workspace: string
  jobId: string
  state: WebhookState
  /** Deliveries that were tried. */
  attempts: number
  /** When it is tried next; null when it is not. */
  nextAt: number | null
  /** What is sent, made once before the first delivery, so that every delivery says the same. */
  body: string | null
}

/** One try to deliver. */
export interface WebhookAttempt {
  attempt: number
  at: number
  durationMs: number
  status: number | null
  /** Why it was not taken; null when it was. */
  error: string | null
}
