// A webhook's row, as stores on any backend have it.
import type { Webhook, WebhookEvent, WebhookState, WebhookSummary } from '../../model/webhook.ts'

export interface WebhookRow {
  id: string
  workspace: string
  job_id: string
  event: WebhookEvent
  url: string
  state: WebhookState
  attempts: number
  next_at: number | null
  created_at: number
  body: string
}

export type SummaryRow = Omit<WebhookRow, 'body'>

export const webhookOf = (row: WebhookRow): Webhook => ({ ...summaryOf(row), body: row.body })

export const summaryOf = (row: SummaryRow): WebhookSummary => ({
  id: row.id,
  workspace: row.workspace,
  jobId: row.job_id,
  event: row.event,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  nextAt: row.next_at,
  createdAt: row.created_at,
})
