// Request schemas of monitors, and schedules written in words. Unknown keys are refused.
import * as z from 'zod'
import { Failure } from '../../../../model/failures.ts'
import { webhookUrl } from '../../../../model/job.ts'
import { bodies, optionsV2 } from '../schemas.ts'

const { url: _url, scrapeOptions: _scrapeOptions, webhook: _webhook, ...crawlShape } = bodies[2].crawl.shape
const scrapeOptions = z.strictObject(optionsV2).optional()

const target = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string().max(200).optional(),
    type: z.literal('scrape'),
    urls: z.array(z.string().max(8_192)).min(1).max(10_000),
    scrapeOptions,
  }),
  z.strictObject({
    id: z.string().max(200).optional(),
    type: z.literal('crawl'),
    url: bodies[2].crawl.shape.url,
    crawlOptions: z.strictObject(crawlShape).partial().optional(),
    scrapeOptions,
  }),
])
export type MonitorTarget = z.output<typeof target>

const schedule = z
  .strictObject({
    cron: z.string().max(200).optional(),
    text: z.string().max(200).optional().describe('The times in English, such as `every day at 9:00`.'),
    timezone: z.string().min(1).max(100).default('UTC'),
  })
  .refine(given => (given.cron === undefined) !== (given.text === undefined), {
    message: 'needs either cron or text',
  })
type MonitorTimes = z.output<typeof schedule>

const webhook = z.strictObject({
  url: webhookUrl,
  headers: z.record(z.string(), z.string()).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  events: z.array(z.enum(['monitor.page', 'monitor.check.completed'])).optional(),
})

const notification = z.strictObject({
  email: z
    .strictObject({
      enabled: z.boolean().default(true),
      recipients: z.array(z.email().max(254)).max(20).default([]),
      includeDiffs: z.boolean().optional(),
    })
    .optional(),
})

const fields = {
  name: z.string().min(1).max(200),
  schedule,
  targets: z.array(target).min(1).max(50),
  webhook,
  notification,
  retentionDays: z.int().min(1).max(3_650),
}
/** Fields that are not part of the schedule: the name of the client, and options for a model that judges changes. */
const beside = {
  origin: z.string().max(200).optional(),
  integration: z.string().max(200).nullish(),
  goal: z.string().max(10_000).nullish(),
  judgeEnabled: z.boolean().optional(),
}

export const newMonitor = z.strictObject({
  ...fields,
  webhook: webhook.nullish(),
  notification: notification.nullish(),
  retentionDays: fields.retentionDays.optional(),
  ...beside,
})
export type NewMonitor = z.output<typeof newMonitor>

export const changedMonitor = z
  .strictObject({
    ...fields,
    status: z.enum(['active', 'paused']),
    webhook: webhook.nullable(),
    notification: notification.nullable(),
  })
  .partial()
  .extend(beside)

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const often = /^(?:every )?(\d+)? ?(minute|hour|day)s?$/
const atTime =
  /^(?:(daily|every day|weekly)|(?:every |weekly on )(\w+day))(?: at (\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/

/** Translates words into a cron expression: `hourly`, `every 30 minutes`, `daily at 9:00`, `every monday at 6 pm`. */
export function cronOf({ cron, text = '' }: MonitorTimes): string {
  if (cron !== undefined) return cron
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^hourly$/, 'every hour')
  const found = stepsIn(words) ?? timeIn(words)
  if (found !== null) return found
  throw new Failure(
    'input.invalid',
    `schedule.text: "${text}" is not understood; use "every 30 minutes", "hourly", "daily at 9:00", "every monday at 18:00", or cron`,
    { path: 'schedule.text' },
  )
}

function stepsIn(words: string): string | null {
  const [, count = '1', unit] = often.exec(words) ?? []
  const step = Number(count)
  if (unit === 'minute' && step >= 1 && step < 60) return step === 1 ? '* * * * *' : `*/${step} * * * *`
  if (unit === 'hour' && step >= 1 && step < 24) return step === 1 ? '0 * * * *' : `0 */${step} * * *`
  return unit === 'day' && step >= 1 && step < 31 ? (step === 1 ? '0 0 * * *' : `0 0 */${step} * *`) : null
}

function timeIn(words: string): string | null {
  const [, every, day, hours = '0', minutes = '0', half] = atTime.exec(words) ?? []
  if (every === undefined && day === undefined) return null
  const weekday = day === undefined ? (every === 'weekly' ? 1 : null) : days.indexOf(day)
  const hour = (Number(hours) % (half ? 12 : 24)) + (half === 'pm' ? 12 : 0)
  if (weekday === -1 || Number(hours) > 24 || Number(minutes) > 59) return null
  return `${Number(minutes)} ${hour} * * ${weekday ?? '*'}`
}
