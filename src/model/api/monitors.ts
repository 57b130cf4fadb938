// Request and response schemas of the monitors API.
import * as z from 'zod'
import { id } from '../ids.ts'
import { ignoreRules, monitorBody, type PageChange, pageStatuses } from '../monitor.ts'

export const monitorParams = z.object({ monitorId: id })
export const checkParams = z.object({ monitorId: id, jobId: id })

export const newMonitorBody = monitorBody.meta({
  examples: [
    {
      monitor_id: 'prices',
      name: 'Prices',
      cron: '0 * * * *',
      time_zone: 'Europe/Berlin',
      job: { urls: ['https://example.com/prices'] },
      ignore: { noise: ['timestamps', 'order'], lines: ['visitors online'] },
    },
  ],
})

const time = z.string().describe('ISO 8601, in UTC.')

export const shownMonitor = z.object({
  monitorId: z.string(),
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  paused: z.boolean(),
  createdAt: time,
  nextAt: time.nullable(),
  job: z.record(z.string(), z.unknown()),
  ignore: ignoreRules,
  webhookUrl: z.string().nullable(),
  slackUrl: z.string().nullable(),
  emailTo: z.array(z.string()),
  notify: z.enum(['changes', 'always']),
  links: z.object({
    self: z.string(),
    checks: z.string(),
    atom: z.string().describe('URL of a feed of the changes. Everyone who has the URL can read it.'),
    rss: z.string(),
    schedule: z
      .string()
      .describe(
        'URL of the schedule. Use it to change the times of the checks, and to pause or resume the monitor.',
      ),
  }),
})

export const monitorList = z.object({ monitors: z.array(shownMonitor), nextCursor: z.string().nullable() })

const counts = z.record(z.enum(pageStatuses), z.int())

const shownCheck = z.object({
  jobId: z.string(),
  at: time,
  against: z.string().nullable().describe('The job of the previous check; null for the first check.'),
  counts,
  isChanged: z.boolean(),
})

export const checkList = z.object({ checks: z.array(shownCheck), nextCursor: z.string().nullable() })

export const checkInFull = shownCheck.extend({
  pages: z.array(
    z.object({
      url: z.string(),
      status: z.enum(pageStatuses),
      title: z.string().nullable(),
      diff: z
        .string()
        .nullable()
        .describe('The changed lines in the format of `diff -u`, without ignored lines.'),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      reason: z.string().nullable(),
    }),
  ),
  isCut: z.boolean().describe('True if there are more changes than listed.'),
})

export const startedCheck = z.object({
  monitorId: z.string(),
  jobId: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
})

export type MonitorShown = z.infer<typeof shownMonitor>
export type MonitorCheck = z.infer<typeof shownCheck>
/** A check with its changed pages. Unchanged pages are not listed. */
export type MonitorCheckInFull = Omit<z.infer<typeof checkInFull>, 'pages'> & { pages: PageChange[] }
export type StartedCheck = z.infer<typeof startedCheck>
