// A monitor: a schedule whose runs are compared page by page, with rules for what to ignore.
import * as z from 'zod'
import { id } from './ids.ts'
import { webhookUrl } from './job.ts'

/** Kinds of changes that a monitor can ignore, such as a new timestamp. */
const noises = ['timestamps', 'ads', 'order', 'numbers', 'case', 'whitespace'] as const
export type Noise = (typeof noises)[number]

export const ignoreRules = z.strictObject({
  noise: z
    .array(z.enum(noises))
    .default(['timestamps', 'ads', 'whitespace'])
    .describe(
      'Changes to ignore: times and dates; lines marked as advertisements; the order of lines and lists; digits; letter case; white space.',
    ),
  fields: z
    .array(z.string().min(1).max(200))
    .max(200)
    .default([])
    .describe('Fields of the record that do not count.'),
  lines: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe('Lines with one of these words are ignored, in any letter case.'),
})
export type IgnoreRules = z.output<typeof ignoreRules>

export const monitorBody = z.strictObject({
  monitorId: id.optional(),
  name: z.string().min(1).max(200).optional(),
  cron: z
    .string()
    .max(200)
    .describe('A cron expression, as in a schedule: minute, hour, day of month, month, day of week.'),
  timeZone: z.string().min(1).max(100).default('UTC'),
  job: z
    .record(z.string(), z.unknown())
    .describe(
      'The pages to watch: the body of `POST /jobs`, with `urls` or `seed_urls`. An unchanged page costs only a 304.',
    ),
  ignore: ignoreRules.prefault({}),
  webhookUrl: webhookUrl
    .optional()
    .describe('A URL that gets a webhook for every check that found a change.'),
  slackUrl: webhookUrl
    .optional()
    .describe(
      'A webhook of Slack or of a service that accepts the same body (Mattermost, Discord with `/slack`).',
    ),
  emailTo: z
    .array(z.email().max(254))
    .max(20)
    .default([])
    .describe('Addresses that get an e-mail for every check that found a change. Needs SCRAPER_SMTP_URL.'),
  notify: z
    .enum(['changes', 'always'])
    .default('changes')
    .describe('`always`: also for checks without a change.'),
})
export type MonitorBody = z.output<typeof monitorBody>
export type MonitorInput = z.input<typeof monitorBody>

/** The settings of a monitor that are stored with its schedule. */
export type MonitorTerms = Pick<MonitorBody, 'ignore' | 'webhookUrl' | 'notify'> &
  Partial<Pick<MonitorBody, 'slackUrl' | 'emailTo'>>

/** How a page differs from the previous check. `error`: the page could not be fetched, so it cannot be compared. */
export const pageStatuses = ['new', 'same', 'changed', 'removed', 'error'] as const
export type PageStatus = (typeof pageStatuses)[number]

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export interface PageChange {
  url: string
  status: Exclude<PageStatus, 'same'>
  title: string | null
  /** The changed lines in the format of `diff -u`, without ignored lines. Null unless the page changed. */
  diff: string | null
  fields: FieldChange[]
  /** Why the page counts as removed, or could not be fetched. Null for other statuses. */
  reason: string | null
}

/** The result of comparing a run with the previous run. */
export interface Check {
  jobId: string
  at: number
  /** The job of the previous check; null for the first check. */
  against: string | null
  counts: Record<PageStatus, number>
  changes: PageChange[]
  /** Whether there were more changes than `changes` lists. */
  isCut: boolean
}
