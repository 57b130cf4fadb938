// Response schemas of the service: keys, account, webhooks, do-not-crawl list, proxies, activity.
import * as z from 'zod'
import { keyLimits, keyScopes } from '../access.ts'
import { listingStates } from '../conduct.ts'
import { webhookEvents, webhookStates } from '../webhook.ts'

export const shownKey = z.object({
  keyId: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first characters, to identify the key.'),
  workspace: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  limits: keyLimits,
  workspaces: z.array(z.string()).describe('Other workspaces that the key may act for; `*` means all.'),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
})

export const madeKey = shownKey.extend({ key: z.string().describe('The secret key. It is shown only once.') })

export type KeyShown = z.infer<typeof shownKey>

export const account = z.object({
  keyId: z.string(),
  workspace: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  limits: keyLimits,
  version: z.string().describe('The version of the service.'),
  webhooksSigned: z.boolean().describe('Whether webhooks have a signature (`SCRAPER_WEBHOOK_SECRET`).'),
})

export type Account = z.infer<typeof account>

export const shownWebhook = z.object({
  webhookId: z
    .string()
    .describe('The `webhook-id` header of every delivery. Receivers use it to detect duplicates.'),
  jobId: z.string(),
  event: z.enum(webhookEvents),
  url: z.string(),
  state: z.enum(webhookStates).describe('`dead`: no more attempts; the webhook can be replayed.'),
  attempts: z.int().describe('Attempts since the webhook was created or replayed.'),
  createdAt: z.string(),
  nextAt: z.string().nullable(),
})

export const fullWebhook = shownWebhook.extend({
  body: z.record(z.string(), z.unknown()),
  log: z.array(
    z.object({
      attempt: z.int(),
      at: z.string(),
      durationMs: z.int(),
      status: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
})

export type WebhookShown = z.infer<typeof shownWebhook>
export type WebhookInFull = z.infer<typeof fullWebhook>

export const shownListing = z.object({
  listingId: z.string(),
  list: z.enum(['deny', 'allow']),
  pattern: z.string(),
  status: z
    .enum(listingStates)
    .describe('An entry applies if it is `proved` (by the site owner) or `approved` (by the operator).'),
  reason: z.string().nullable(),
  contact: z.string().nullable(),
  createdAt: z.string(),
  decidedAt: z.string().nullable(),
  decidedBy: z.string().nullable(),
})

export type ListingShown = z.infer<typeof shownListing>

const shownProxy = z.object({
  name: z
    .string()
    .describe(
      'Address of the proxy. A second proxy with the same address ends in `#2`. It never contains the user or password.',
    ),
  source: z.string().describe('`operator`, or the name of a provider.'),
  healthy: z.boolean(),
  successes: z.int(),
  failures: z.int(),
  trouble: z.string().nullable().describe('The problem, while the proxy is unhealthy.'),
  unhealthySince: z.string().nullable(),
})

export const shownProxies = z.object({ proxies: z.array(shownProxy) })

export type ProxyShown = z.infer<typeof shownProxy>

const activityRanges = ['24h', '7d', '30d'] as const
export type ActivityRange = (typeof activityRanges)[number]

const counted = {
  pages: z.int().describe('Pages that were fetched.'),
  records: z.int().describe('Records that were extracted.'),
  attempts: z.int().describe('Attempts that ended, whatever their outcome.'),
  errors: z.int().describe('Attempts that failed. Skipped pages are not errors.'),
}

export const activity = z.object({
  range: z.enum(activityRanges),
  from: z.string(),
  stepMs: z.int(),
  ...counted,
  steps: z.array(
    z.object({
      at: z.string(),
      ...counted,
      byReason: z.record(z.string(), z.int()).describe('Errors by reason.'),
    }),
  ),
  failures: z
    .array(
      z.object({
        host: z.string(),
        reason: z.string(),
        attempts: z.int(),
        jobId: z.string().describe('The latest job with such an error.'),
      }),
    )
    .describe('Errors by host and reason, most first.'),
})

export type Activity = z.infer<typeof activity>

const activityCounts = ['pages', 'records', 'errors'] as const

export const activityOfJobsQuery = z.strictObject({
  range: activity.shape.range.default('24h'),
  show: z.enum(activityCounts).default('pages').describe('What is counted.'),
  reason: z.string().max(100).optional().describe('Only errors with this reason.'),
  host: z.string().max(300).optional().describe('Only errors at this host.'),
})
export type ActivityOfJobsFilter = Partial<z.output<typeof activityOfJobsQuery>>

export const activityOfJobs = z.object({
  range: activity.shape.range,
  from: z.string(),
  show: z.enum(activityCounts).describe('What is counted.'),
  count: z.int().describe('The sum of all jobs. It equals the count of `GET /activity`.'),
  jobCount: z
    .int()
    .describe('Number of jobs whose count is above zero. The response lists at most 100 of them.'),
  jobs: z
    .array(z.object({ jobId: z.string(), count: z.int().describe('The count of this job.') }))
    .describe('The jobs with the highest counts, highest first.'),
})

export type ActivityOfJobs = z.infer<typeof activityOfJobs>
