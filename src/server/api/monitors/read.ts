// Reads results of monitors: the list of checks, one check in full, and feeds.
import * as z from 'zod'
import { checkInFull, checkList, checkParams, monitorParams } from '../../../model/api/monitors.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { type MonitorTerms, pageStatuses } from '../../../model/monitor.ts'
import type { Schedule } from '../../../model/schedule.ts'
import { atomFeed, rssFeed } from '../../../pipeline/report/change-feed.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { cursorOf, placeIn } from '../../http/cursors.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { type Checks, endedRuns, shownCheck, termsOf } from './checks.ts'
import { monitorOfToken } from './feed-token.ts'
import { ownedMonitor } from './manage.ts'

const read = { scope: 'read' } as const

export function addLooking(app: App, server: Server, checks: Checks): void {
  addChecks(app, server, checks)
  addCheck(app, server, checks)
  addFeed(app, server, checks)
}

function addChecks(app: App, server: Server, checks: Checks): void {
  app.get(
    '/monitors/:monitorId/checks',
    {
      config: read,
      schema: {
        summary: 'List the checks of a monitor, newest first',
        description: 'Covers the last hundred ended runs.',
        params: monitorParams,
        querystring: z.strictObject({
          ...pageQuery,
          limit: z.coerce.number().int().min(1).max(100).default(10),
        }),
        response: { 200: checkList, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const { schedule, terms } = await ownedMonitor(server, request.caller, request.params.monitorId)
      const { limit, cursor } = request.query
      const runs = await endedRuns(server.parts.store, schedule)
      const from = placeIn(cursor, z.string())
      const start = from === undefined ? 0 : runs.findIndex(({ id: jobId }) => jobId === from) + 1
      const shown = []
      for (const [index, job] of runs.slice(start, start + limit).entries())
        shown.push(shownCheck(await checks.of(job, runs.slice(start + index + 1), terms)))
      const last = start + limit < runs.length ? runs[start + limit - 1] : undefined
      return { checks: shown, nextCursor: last ? cursorOf(last.id) : null }
    },
  )
}

function addCheck(app: App, server: Server, checks: Checks): void {
  app.get(
    '/monitors/:monitorId/checks/:jobId',
    {
      config: read,
      schema: {
        summary: 'Get the result of one check',
        params: checkParams,
        querystring: z.strictObject({
          status: z
            .enum(pageStatuses)
            .optional()
            .describe('Only pages with this status. Unchanged pages are only counted.'),
        }),
        response: { 200: checkInFull, 404: problemSchema, 409: problemSchema },
      },
    },
    async request => {
      const { schedule, terms } = await ownedMonitor(server, request.caller, request.params.monitorId)
      const runs = await endedRuns(server.parts.store, schedule)
      const index = runs.findIndex(job => chosenId(job.id) === request.params.jobId)
      if (index === -1) throw await noCheck(server, request, schedule)
      const check = await checks.of(runs[index]!, runs.slice(index + 1), terms)
      const { status } = request.query
      const pages = check.changes.filter(change => status === undefined || change.status === status)
      return { ...shownCheck(check), pages, isCut: check.isCut }
    },
  )
}

async function noCheck(
  server: Server,
  { caller, params }: Pick<FastifyRequest, 'caller'> & { params: { monitorId: string; jobId: string } },
  schedule: Schedule,
): Promise<Failure> {
  const { monitorId, jobId } = params
  const job: Job | null = await ownedJob(server, caller, jobId).catch(() => null)
  if (job && !hasEnded(job.state) && job.scheduleId === schedule.id)
    return new Failure(
      'job.wrong-state',
      `job ${jobId} is ${job.state}; its result is available when it has ended`,
    )
  return new Failure(
    'job.unknown',
    `"${jobId}" is not a check of monitor ${monitorId}; GET /monitors/${monitorId}/checks lists them`,
  )
}

const checksInFeed = 20

function addFeed(app: App, server: Server, checks: Checks): void {
  app.get(
    '/monitors/:monitorId/feed',
    {
      config: { scope: 'open' },
      schema: {
        summary: 'Get the changes as a feed',
        description:
          'The links of the monitor contain this URL with its token. A request to this URL needs no key.',
        params: monitorParams,
        querystring: z.strictObject({
          token: z.string().max(200),
          format: z.enum(['atom', 'rss']).default('atom'),
        }),
        response: { 404: problemSchema },
      },
    },
    async (request, reply) => {
      const { format, token } = request.query
      const { schedule, terms } = await monitorOf(server, request.params.monitorId, token)
      const runs = await endedRuns(server.parts.store, schedule)
      const found = []
      for (const [index, job] of runs.slice(0, checksInFeed).entries())
        found.push(await checks.of(job, runs.slice(index + 1), terms))
      const base = baseUrl(server, request)
      const facts = {
        ...{ name: schedule.name, checks: found, self: `${base}${request.url}` },
        link: `${base}/monitors/${request.params.monitorId}`,
      }
      const text = format === 'rss' ? rssFeed(facts) : atomFeed(facts)
      // The body is a feed, and Fastify response types have no feed.
      return reply.type(`application/${format}+xml; charset=utf-8`).send(Buffer.from(text) as never)
    },
  )
}

async function monitorOf(server: Server, monitorId: string, token: string) {
  const own = monitorOfToken(server, monitorId, token)
  const schedule = own === null ? null : await server.parts.store.schedules.get(own)
  const terms: MonitorTerms | null = schedule && termsOf(schedule)
  if (schedule && terms) return { schedule, terms }
  throw new Failure(
    'schedule.unknown',
    `there is no feed of "${monitorId}" for this token; the links of the monitor contain the URL of its feed`,
  )
}
