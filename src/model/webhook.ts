// A webhook: what is told to someone else's server, and how far that got.

/** What can be told: that a job ended; what Firecrawl's clients ask to be told of; what a monitor found. */
export const webhookEvents = ['job.ended', 'firecrawl', 'monitor.changed'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const webhookStates = ['pending', 'delivered', 'dead'] as const
export type WebhookState = (typeof webhookStates)[number]

/** Entered with the change that it tells of, in one transaction. */
export interface NewWebhook {
  /** The `webhook-id`: one per job and event, whatever happens to the deliveries. */
  id: string
  event: WebhookEvent
  url: string
  createdAt: number
  /** What is sent: made with the change, so that every delivery says the same, whatever becomes of the job. */
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

/** As it is listed: without what it says. */
export type WebhookSummary = Omit<Webhook, 'body'>

/** One try to deliver. */
export interface WebhookAttempt {
  attempt: number
  at: number
  durationMs: number
  status: number | null
  /** Why it was not taken; null when it was. */
  error: string | null
}
