// GET /jobs/{id}/conduct: the conduct receipt of a job, also while it runs.

import * as z from 'zod'
import { consents } from '../../../model/conduct.ts'
import { chosenId } from '../../../model/ids.ts'
import { type ConductReceipt, conductReceipt } from '../../../pipeline/report/conduct-receipt.ts'
import { isoTime, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { jobParams } from './schemas.ts'

const time = z.string().describe('ISO 8601, in UTC.')

const receipt = z.object({
  jobId: z.string(),
  userAgent: z.string().nullable().describe('The user agent that the job sent.'),
  robots: z.object({
    policy: z.enum(['obey', 'ignore']).nullable().describe('Null: the policy of each host decides.'),
    disallowed: z.int().describe('Pages that were skipped because of robots.txt.'),
    unreachable: z.int(),
    files: z.array(z.object({ origin: z.string(), verdict: z.string(), fetchedAt: time })),
  }),
  browser: z.object({ mode: z.string(), stealth: z.boolean(), pages: z.int() }),
  personalData: z.enum(['keep', 'mask', 'drop']),
  consents: z
    .array(z.object({ what: z.enum(consents), value: z.string(), who: z.string(), at: time }))
    .describe('Consents beyond the polite defaults, with the key that gave them and the time.'),
  denied: z.int().describe('Tasks that ended because their host is on the do-not-crawl list.'),
  throttled: z.int(),
  hosts: z.array(
    z.object({
      host: z.string(),
      requests: z
        .int()
        .describe('First requests of tasks. Further requests of pages and scrapers do not count.'),
      firstAt: time,
      lastAt: time,
      achievedRate: z.number().nullable().describe('Average per second, from the first request to the last.'),
    }),
  ),
  moreHosts: z.boolean(),
})

export function addConduct(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/conduct',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get the conduct receipt of a job',
        params: jobParams,
        response: { 200: receipt, 404: problemSchema },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      return shown(await conductReceipt(server.parts.store, job))
    },
  )
}

const shown = (found: ConductReceipt) => ({
  ...found,
  jobId: chosenId(found.jobId),
  robots: {
    ...found.robots,
    files: found.robots.files.map(file => ({ ...file, fetchedAt: isoTime(file.fetchedAt) })),
  },
  consents: found.consents.map(note => ({ ...note, at: isoTime(note.at) })),
  hosts: found.hosts.map(host => ({
    ...host,
    firstAt: isoTime(host.firstAt),
    lastAt: isoTime(host.lastAt),
  })),
})
