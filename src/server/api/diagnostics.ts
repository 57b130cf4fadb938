// The diagnostics API: reports and profiles of jobs and workers for troubleshooting.
import { Readable } from 'node:stream'
import * as z from 'zod'
import { longestProfileSeconds } from '../../model/diagnosis.ts'
import type { App, RouteGroup } from '../app.ts'
import { asDownload } from '../http/downloads.ts'
import { isoTime } from '../http/responses.ts'
import { keepToOperators } from '../operators-only.ts'
import type { Server } from '../parts.ts'

const params = z.object({
  name: z.string().min(1).max(300).describe('A job id, a worker name from `GET /workers`, or `service`.'),
})

const diagnosis = z.object({
  about: z.enum(['job', 'worker']),
  name: z.string(),
  madeAt: z.string(),
  sections: z
    .record(z.string(), z.unknown())
    .describe(
      'Settings, versions, the process, the job with its counts, hosts, recent errors and events. Secrets are removed.',
    ),
})

const profileBody = z
  .strictObject({
    kind: z
      .enum(['heap', 'cpu'])
      .describe('A heap snapshot holds the whole memory of the process, including pages and secrets.'),
    seconds: z
      .int()
      .min(1)
      .max(longestProfileSeconds)
      .default(10)
      .describe('Duration of a CPU profile in seconds.'),
  })
  .meta({ examples: [{ kind: 'cpu', seconds: 5 }] })

export const diagnosticsApi: RouteGroup = {
  name: 'diagnostics',
  about:
    'The data of `kscrape diagnose`. This API needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, server) {
    keepToOperators(app)
    addReport(app, server)
    addProfile(app, server)
  },
}

function addReport(app: App, { parts }: Server): void {
  app.get(
    '/diagnostics/:name',
    {
      config: { scope: 'admin', answersWhenBusy: true },
      schema: {
        summary: 'Get a diagnostic report of a job or a worker, without secrets',
        params,
        response: { 200: diagnosis },
      },
    },
    async ({ params: { name } }) => parts.diagnostics.report(name),
  )
}

function addProfile(app: App, { parts }: Server): void {
  app.post(
    '/diagnostics/:name/profile',
    {
      config: { scope: 'admin', answersWhenBusy: true },
      schema: {
        summary: 'Download a heap snapshot or a CPU profile of the process',
        params,
        body: profileBody,
        response: { 200: z.string().describe('A file for the developer tools of a browser.') },
      },
    },
    async ({ params: { name }, body, caller }, reply) => {
      const { kind, seconds } = body
      parts.log.warn(
        { key_id: caller.keyId, name, at: isoTime(Date.now()) },
        `a ${kind} profile was requested`,
      )
      const request = kind === 'heap' ? { kind } : { kind, seconds }
      const fileName = kind === 'heap' ? 'heap.heapsnapshot' : 'cpu.cpuprofile'
      const content = await parts.diagnostics.profile(name, request)
      return asDownload(reply, fileName, 'application/octet-stream').send(Readable.from(content))
    },
  )
}
