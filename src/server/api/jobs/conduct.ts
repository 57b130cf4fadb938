// GET /jobs/{id}/conduct: how a job behaved, as far as it has come.

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
  userAgent: z.string().nullable().describe('Who it said it was.'),
  robots: z.object({
    policy: z.enum(['obey', 'ignore']).nullable().describe('Null leaves it to the policy of each host.'),
    disallowed: z.int().describe('Pages that were left alone because robots.txt says so.'),
    unreachable: z.int(),
    files: z.array(z.object({ origin: z.string(), verdict: z.string(), fetchedAt: time })),
  }),
  browser: z.object({ mode: z.string(), stealth: z.boolean(), pages: z.int() }),
  personalData: z.enum(['keep', 'mask', 'drop']),
  consents: z
    .array(z.object({ what: z.enum(consents), value: z.string(), who: z.string(), at: time }))
    .describe('What it was allowed beyond the polite defaults, by whose key, and when.'),
  denied: z.int().describe('Tasks that ended because their host wants to be left alone.'),
  throttled: z.int(),
  hosts: z.array(
    z.object({
      host: z.string(),
      requests: z
        .int()
        .describe('First requests of its tasks; what pages and scrapers open beside them is not counted.'),
      firstAt: time,
      lastAt: time,
      achievedRate: z.number().nullable().describe('Per second, from the first to the last.'),
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
        summary: 'How a job behaved: its conduct receipt',
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
