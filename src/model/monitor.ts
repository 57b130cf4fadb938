// A monitor: a schedule whose runs are compared page by page, and what of a page does not count as a change.
import * as z from 'zod'
import { id } from './ids.ts'
import { webhookUrl } from './job.ts'

/** What changes without anything having changed. */
export const noises = ['timestamps', 'ads', 'order', 'numbers', 'case', 'whitespace'] as const
export type Noise = (typeof noises)[number]

export const ignoreRules = z.strictObject({
  noise: z
    .array(z.enum(noises))
    .default(['timestamps', 'ads', 'whitespace'])
    .describe(
      'Times and dates; lines that say they are advertisements; the order of lines and lists; digits; case; blanks.',
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
    .describe('Lines that hold one of these words do not count, whatever their case.'),
})
export type IgnoreRules = z.output<typeof ignoreRules>

export const monitorBody = z.strictObject({
  monitorId: id.optional(),
  name: z.string().min(1).max(200).optional(),
  cron: z.string().max(200).describe('As of a schedule: minute, hour, day of month, month, day of week.'),
  timeZone: z.string().min(1).max(100).default('UTC'),
  job: z
    .record(z.string(), z.unknown())
    .describe(
      'What is looked at: the body of `POST /jobs`, with `urls` or `seed_urls`. Pages that did not change cost a 304.',
    ),
  ignore: ignoreRules.prefault({}),
  webhookUrl: webhookUrl.optional().describe('Told of every check that found a change.'),
  slackUrl: webhookUrl
    .optional()
    .describe(
      'A webhook of Slack or of a service that takes the same body (Mattermost, Discord with `/slack`).',
    ),
  emailTo: z
    .array(z.email().max(254))
    .max(20)
    .default([])
    .describe('Get an e-mail of every check that found a change. Needs SCRAPER_SMTP_URL.'),
  notify: z
    .enum(['changes', 'always'])
    .default('changes')
    .describe('`always`: also of checks that found none.'),
})
export type MonitorBody = z.output<typeof monitorBody>
export type MonitorInput = z.input<typeof monitorBody>

/** What of it is kept beside the schedule. */
export type MonitorTerms = Pick<MonitorBody, 'ignore' | 'webhookUrl' | 'notify'> &
  Partial<Pick<MonitorBody, 'slackUrl' | 'emailTo'>>

/** `error`: it could not be had this time, which says nothing about it. */
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
  /** As `diff -u` writes it, without what is ignored; of a page that changed. */
  diff: string | null
  fields: FieldChange[]
  /** Why it is gone, or could not be had. */
  reason: string | null
}

/** What a run found, against the run before it. */
export interface Check {
  jobId: string
  at: number
  /** Null for the first: there is nothing to hold it against. */
  against: string | null
  counts: Record<PageStatus, number>
  changes: PageChange[]
  /** There were more than are told. */
  isCut: boolean
}
