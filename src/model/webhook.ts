// A webhook: a message to another server, and the state of its delivery.

/** Events that send a webhook: the end of a job, an event of the Firecrawl API, a change found by a monitor. */
export const webhookEvents = ['job.ended', 'firecrawl', 'monitor.changed'] as const
type WebhookEvent = (typeof webhookEvents)[number]

export const webhookStates = ['pending', 'delivered', 'dead'] as const
export type WebhookState = (typeof webhookStates)[number]

/** A new webhook. It is stored in the same transaction as the change that it reports. */
export interface NewWebhook {
  /** The `webhook-id` header: one id per job and event, the same for all deliveries. */
  id: string
  event: WebhookEvent
  url: string
  createdAt: number
  /** The request body. It is stored, so that every delivery sends the same body. */
  body: string
}

const slackSuffix = '.monitor-slack'

/** The id of a monitor's Slack message. The URL of such a message is secret, because everyone who knows it can post to
 *  the channel. */
export const slackIdOf = (jobId: string): string => `${jobId}${slackSuffix}`
export const isSlackId = (webhookId: string): boolean => webhookId.endsWith(slackSuffix)

export interface Webhook extends NewWebhook {
  workspace: string
  jobId: string
  state: WebhookState
  /** Number of delivery attempts. */
  attempts: number
  /** When the next delivery attempt is due, in epoch ms; null if there is none. */
  nextAt: number | null
}

/** A webhook as lists show it: without the body. */
export type WebhookSummary = Omit<Webhook, 'body'>

/** One attempt to deliver a webhook. */
export interface WebhookAttempt {
  attempt: number
  at: number
  durationMs: number
  status: number | null
  /** Why the receiver did not accept the webhook; null if it accepted the webhook. */
  error: string | null
}
