// Request and response schemas of the scrape API. Bodies are camelCase inside the service; the keys inside `data` are snake_case,
// as callers see them.
import * as z from 'zod'
import { id } from '../../../model/ids.ts'
import { jobSpec, webhookUrl, webUrl } from '../../../model/job.ts'
import { rendering } from '../../../model/policy/rendering.ts'
import { jobStatuses, taskStatuses } from '../../../pipeline/report/scrape-answers.ts'

/** The longest timeout of a scrape, in seconds; see `timeout_s`. */
export const longestTimeoutS = 60
export const mostTargets = 100

const options = z.strictObject({
  ...rendering.pick({ waitFor: true, scroll: true, mobile: true, block: true }).shape,
  render: jobSpec.shape.render,
  headers: jobSpec.shape.headers,
  extract: jobSpec.shape.extract,
  pii: jobSpec.shape.pii.describe(
    'How to treat personal data such as e-mail addresses in the result. The default is `keep` unless SCRAPER_PII sets another. Less protection than the default needs a key with the scope `personal_data`.',
  ),
  /** Input of the scraper besides the URL. */
  input: z.record(z.string(), z.unknown()).default({}),
})
export type ScrapeOptions = z.output<typeof options>

/** Fields that apply to all targets of a batch. */
const common = {
  workspaceId: id
    .optional()
    .describe(
      'The workspace whose credentials, limits and results are used: that of the key, or another one that the key may act for.',
    ),
  callbackUrl: webhookUrl
    .optional()
    .describe('A URL that gets a callback when the job has ended, instead of the operator’s URL.'),
  timeoutS: z.number().min(1).max(longestTimeoutS).optional().describe('Timeout in seconds. Default: 60.'),
  options: options.optional(),
}

const target = {
  url: webUrl,
  targetType: z
    .string()
    .min(1)
    .max(200)
    .describe('The id of a scraper, like `page`, `article`, `job_posting`.'),
}

export const scrapeBody = z.strictObject({ ...target, ...common })
export type ScrapeBody = z.output<typeof scrapeBody>

/** The handler, not this schema, checks the number of targets, because too many targets must give status 400 and not
 *  422. */
export const batchBody = z.strictObject({ targets: z.array(scrapeBody).min(1), ...common })
export type BatchBody = z.output<typeof batchBody>

export const scrapeExample = {
  url: 'https://example.com/jobs/42',
  target_type: 'job_posting',
  timeout_s: 30,
}

const time = z.string().describe('ISO 8601, in UTC.')
const record = z.record(z.string(), z.unknown())

export const acceptedTask = z.object({
  task_id: z.string(),
  job_id: z.string(),
  status: z.literal('queued'),
  status_url: z.string(),
})

export const acceptedJob = z.object({
  job_id: z.string(),
  status: z.literal('queued'),
  total_tasks: z.int(),
  task_ids: z.array(z.string()).describe('In the order of the targets.'),
  status_url: z.string(),
})

export const shownTask = z.object({
  task_id: z.string(),
  job_id: z.string(),
  status: z.enum(taskStatuses),
  url: z.string(),
  target_type: z.string(),
  result: record.nullable().describe('The record, once the task is completed.'),
  further_results: z.array(record).describe('Further records of the scraper.'),
  notices: z
    .array(z.object({ code: z.string(), message: z.string(), fields: z.array(z.string()).optional() }))
    .describe('Warnings about the result: masked or dropped personal data, and doubts about the page.'),
  error: z
    .object({ code: z.string(), message: z.string().nullable(), details: record })
    .nullable()
    .describe('Why the task failed; null if it did not.'),
  attempts: z.int(),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
})

export const shownJob = z.object({
  job_id: z.string(),
  status: z.enum(jobStatuses),
  total_tasks: z.int(),
  queued_tasks: z.int(),
  running_tasks: z.int(),
  completed_tasks: z.int(),
  failed_tasks: z.int(),
  cancelled_tasks: z.int(),
  progress: z.object({ completed: z.int().describe('Tasks that have ended.'), total: z.int() }),
  summary: z.object({
    succeeded: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    errors: z.record(z.string(), z.int()).describe('Number of failed tasks by code.'),
  }),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
})

export const shownResults = z.object({
  job_id: z.string(),
  status: z.enum(jobStatuses),
  total_tasks: z.int(),
  completed_tasks: z.int(),
  results: z.array(shownTask).describe('Completed tasks only.'),
  next_cursor: z.string().nullable(),
})
