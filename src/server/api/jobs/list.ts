// GET /jobs: the jobs of every API, newest first.

import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { idIn } from '../../../model/access.ts'
import { listedJob } from '../../../model/api/jobs.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import { faces, jobStates } from '../../../model/job.ts'
import type { JobFilter } from '../../../ports/store.ts'
import type { App } from '../../app.ts'
import { cursorAfter, idCursor, unknownCursor } from '../../http/cursors.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import type { JobLister } from './listed.ts'

const jobList = z.object({ jobs: z.array(listedJob), nextCursor: z.string().nullable() })

const instant = z.iso.datetime({ offset: true }).transform(text => Date.parse(text))

const words = <Word extends string>(allowed: readonly [Word, ...Word[]]) =>
  z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(allowed)))

const query = z.strictObject({
  status: words(jobStates).optional().describe('Only jobs with one of these states, separated by commas.'),
  face: z.enum(faces).optional(),
  scheduleId: z.string().max(128).optional(),
  label: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('`name:value`; if repeated, all must match.'),
  createdFrom: instant.optional(),
  createdBefore: instant.optional(),
  text: z.string().max(200).optional().describe('A word in the id, the labels or the first URL.'),
  live: z
    .stringbool()
    .default(false)
    .describe('Include the source, the current rate and the current wait of each job.'),
  counts: z.stringbool().default(false).describe('Include the counts of each job.'),
  ...pageQuery,
})

export function addListing(app: App, server: Server, lister: JobLister): void {
  app.get(
    '/jobs',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List jobs',
        querystring: query,
        response: { 200: jobList, 422: problemSchema },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const filter = filterOf(request.query, request.caller.workspace)
      const jobs = await server.parts.store.jobs
        .list({ ...filter, limit, ...idCursor(cursor) })
        .catch(error => {
          throw error instanceof Failure && error.code === 'job.unknown' ? unknownCursor(cursor ?? '') : error
        })
      const base = baseUrl(server, request)
      const shown = jobs.map(job => lister.show(job, base, request.query))
      return { jobs: await Promise.all(shown), nextCursor: cursorAfter(jobs, limit, ({ id }) => id) }
    },
  )
}

export function filterOf(
  { status, face, scheduleId, label, createdFrom, createdBefore, text }: z.output<typeof query>,
  workspace: string,
): JobFilter {
  return {
    workspace,
    ...(status && { states: status }),
    ...(face && { face }),
    ...(scheduleId && { scheduleId: idIn(workspace, scheduleId) }),
    ...(label !== undefined && { labels: labelsOf([label].flat()) }),
    ...defined({ createdFrom, createdBefore }),
    ...(text && { text }),
  }
}

export function labelsOf(given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map(text => {
      const colon = text.indexOf(':')
      if (colon > 0) return [text.slice(0, colon), text.slice(colon + 1)]
      throw new Failure('input.invalid', `label: "${text}" is not a label; write name:value`, {
        path: 'label',
      })
    }),
  )
}
