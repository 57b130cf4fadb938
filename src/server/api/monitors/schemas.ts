// What the monitors face takes and gives.
import * as z from 'zod'
import { id } from '../../../model/ids.ts'
import { ignoreRules, monitorBody, pageStatuses } from '../../../model/monitor.ts'

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
  notify: z.enum(['changes', 'always']),
  links: z.object({
    self: z.string(),
    checks: z.string(),
    atom: z
      .string()
      .describe('A feed of the changes, for readers of feeds: who has the address may read it.'),
    rss: z.string(),
    schedule: z.string().describe('The same as a schedule: to change its times, to pause and to resume it.'),
  }),
})

export const monitorList = z.object({ monitors: z.array(shownMonitor), nextCursor: z.string().nullable() })

const counts = z.record(z.enum(pageStatuses), z.int())

export const shownCheck = z.object({
  jobId: z.string(),
  at: time,
  against: z.string().nullable().describe('The job that it was held against; null for the first.'),
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
      diff: z.string().nullable().describe('As `diff -u` writes it, without what is ignored.'),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      reason: z.string().nullable(),
    }),
  ),
  isCut: z.boolean().describe('There were more changes than are listed.'),
})

export const startedCheck = z.object({
  monitorId: z.string(),
  jobId: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
})
