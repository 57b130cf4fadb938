// Creates, reads, runs and deletes monitors. A monitor is a schedule with comparison settings.

import * as z from 'zod'
import { wallClock } from '../../../lib/clocks.ts'
import { defined } from '../../../lib/defined.ts'
import { longLabels } from '../../../lib/text/long-labels.ts'
import { type Caller, idIn, mayDo, secretFor } from '../../../model/access.ts'
import {
  monitorList,
  monitorParams,
  newMonitorBody,
  shownMonitor,
  startedCheck,
} from '../../../model/api/monitors.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import type { MonitorBody, MonitorTerms } from '../../../model/monitor.ts'
import { monitorLabel, refuseOwnLabels, withoutOwnLabels } from '../../../model/own-labels.ts'
import { type Schedule, scheduleBody } from '../../../model/schedule.ts'
import { newSchedule } from '../../../pipeline/submit/plan-schedule.ts'
import { runNow } from '../../../pipeline/submit/run-schedules.ts'
import { hideHeaders, sealHeaders } from '../../../pipeline/submit/sealed-headers.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { cursorAfter, idCursor } from '../../http/cursors.ts'
import { baseUrl, isoTime, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { checkJob, scheduleParts } from '../../scheduled-jobs.ts'
import { withoutHeaders } from '../schedules/views.ts'
import { termsOf } from './checks.ts'
import { feedToken } from './feed-token.ts'

const submit = { scope: 'submit' } as const
const read = { scope: 'read' } as const

export function addManaging(app: App, server: Server): void {
  addCreating(app, server)
  addLooking(app, server)
  addRunning(app, server)
  addDeleting(app, server)
}

function addCreating(app: App, server: Server): void {
  app.post(
    '/monitors',
    {
      config: { ...submit, takesLists: true },
      schema: {
        summary: 'Create a monitor',
        description:
          'A monitor is a schedule whose runs are compared page by page. The job is validated now, like a submitted job.',
        body: newMonitorBody,
        response: { 201: shownMonitor, 409: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      refuseOwnLabels(request.body.job.labels, 'job.labels')
      const schedule = await createMonitor(server, request.caller, request.body)
      const answer = shown(server, request, schedule)
      return reply.code(201).header('location', answer.links.self).send(answer)
    },
  )
}

/** Builds the schedule of a monitor, and stores it if `isStored`. `id` is the id of an existing monitor whose job is built
 *  again. */
export async function createMonitor(
  server: Server,
  caller: Caller,
  body: MonitorBody,
  { isStored = true, id }: { isStored?: boolean; id?: string } = {},
): Promise<Schedule> {
  const schedule = await made(server, caller, body, id)
  if (isStored) await server.parts.store.schedules.create(schedule)
  return schedule
}

async function made(server: Server, caller: Caller, body: MonitorBody, id?: string): Promise<Schedule> {
  const { monitorId, name, cron, timeZone, ignore, webhookUrl, slackUrl, emailTo, notify } = body
  if (emailTo.length > 0 && server.settings.smtpUrl === undefined)
    throw new Failure(
      'input.invalid',
      'email_to needs a mail server: set SCRAPER_SMTP_URL, or leave it out',
      {
        path: 'email_to',
      },
    )
  const terms: MonitorTerms = {
    ...{ ignore, notify, ...defined({ webhookUrl, slackUrl }) },
    ...(emailTo.length > 0 && { emailTo }),
  }
  const job = watchedJob(body, terms)
  await checkJob(server, caller, job)
  for (const url of [webhookUrl, slackUrl])
    if (url !== undefined) await checkJob(server, caller, { ...job, webhook_url: url })
  const given = scheduleBody.parse({
    ...(monitorId !== undefined && { scheduleId: monitorId }),
    ...{ name: name ?? monitorId ?? 'monitor', cron, timeZone, job },
  })
  const { workspace, keyId } = caller
  const schedule = newSchedule(given, { workspace, keyId }, { now: wallClock.now(), random: Math.random })
  return { ...schedule, job: sealHeaders(server.parts.sealer, id ?? schedule.id, schedule.job) }
}

/** The job of each check. Its requests are conditional (ETag, Last-Modified) unless the job disables that. */
function watchedJob({ job }: MonitorBody, terms: MonitorTerms): Record<string, unknown> {
  const given = mapKeys(job, snake) as Record<string, unknown>
  if (given.webhook_url !== undefined)
    throw new Failure(
      'input.invalid',
      'job.webhook_url: set webhook_url of the monitor instead; it gets the changes',
      {
        path: 'job.webhook_url',
      },
    )
  const own = (given.labels ?? {}) as object
  const labels = { ...own, ...longLabels(monitorLabel, terms) }
  return { max_age_ms: 0, ...given, labels }
}

export async function ownedMonitor(
  { parts }: Server,
  caller: Caller,
  monitorId: string,
): Promise<{ schedule: Schedule; terms: MonitorTerms }> {
  const schedule = await parts.store.schedules.get(idIn(caller.workspace, monitorId))
  const terms = schedule && schedule.workspace === caller.workspace ? termsOf(schedule) : null
  if (schedule && terms) return { schedule, terms }
  throw new Failure(
    'schedule.unknown',
    `there is no monitor "${monitorId}"; GET /monitors lists all monitors`,
    {
      monitorId,
    },
  )
}

function shown(server: Server, request: FastifyRequest, schedule: Schedule) {
  const { name, cron, timeZone, paused, createdAt, nextAt } = schedule
  const { ignore, webhookUrl = null, slackUrl, emailTo = [], notify } = termsOf(schedule)!
  const id = chosenId(schedule.id)
  const [base, self] = [baseUrl(server, request), `${baseUrl(server, request)}/monitors/${id}`]
  const feed = `${self}/feed?token=${feedToken(server, schedule)}`
  return {
    ...{ monitorId: id, name, cron, timeZone, paused, ignore, webhookUrl, emailTo, notify },
    slackUrl: slackUrl === undefined ? null : secretFor(request.caller, slackUrl),
    createdAt: isoTime(createdAt),
    nextAt: paused ? null : isoTimeOrNull(nextAt),
    job: mayDo(request.caller.scopes, 'submit')
      ? hideHeaders(watched(schedule.job))
      : withoutHeaders(watched(schedule.job)),
    links: {
      ...{ self, checks: `${self}/checks`, atom: feed, rss: `${feed}&format=rss` },
      schedule: `${base}/schedules/${id}`,
    },
  }
}

/** The job as the caller gave it, without our own labels. */
function watched({ labels, ...job }: Schedule['job']): Record<string, unknown> {
  const own = withoutOwnLabels((labels ?? {}) as Record<string, string>)
  return { ...job, ...(Object.keys(own).length > 0 && { labels: own }) }
}

function addLooking(app: App, server: Server): void {
  app.get(
    '/monitors',
    {
      config: read,
      schema: {
        summary: 'List monitors',
        querystring: z.strictObject(pageQuery),
        response: { 200: monitorList, 422: problemSchema },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const found = await server.parts.store.schedules.list({
        ...{ workspace: request.caller.workspace, limit },
        ...idCursor(cursor),
      })
      const monitors = found
        .filter(schedule => termsOf(schedule))
        .map(schedule => shown(server, request, schedule))
      // Schedules that are not monitors are left out, so a page may be short and still have a next page.
      return { monitors, nextCursor: cursorAfter(found, limit, ({ id }) => id) }
    },
  )
  app.get(
    '/monitors/:monitorId',
    {
      config: read,
      schema: {
        summary: 'A monitor',
        params: monitorParams,
        response: { 200: shownMonitor, 404: problemSchema },
      },
    },
    async request => {
      const { schedule } = await ownedMonitor(server, request.caller, request.params.monitorId)
      return shown(server, request, schedule)
    },
  )
}

function addRunning(app: App, server: Server): void {
  const parts = scheduleParts(server)
  app.post(
    '/monitors/:monitorId/run',
    {
      config: submit,
      schema: {
        summary: 'Look now',
        description:
          'Starts a check in addition to the schedule. The response is 409 while the previous check runs.',
        params: monitorParams,
        response: { 202: startedCheck, 404: problemSchema, 409: problemSchema },
      },
    },
    async (request, reply) => {
      const { schedule } = await ownedMonitor(server, request.caller, request.params.monitorId)
      const { jobId, outcome, reason } = await runNow(parts, schedule)
      const answer = { monitorId: chosenId(schedule.id), jobId: jobId && chosenId(jobId), outcome, reason }
      return reply.code(202).send(answer)
    },
  )
}

function addDeleting(app: App, server: Server): void {
  app.delete(
    '/monitors/:monitorId',
    {
      config: submit,
      schema: {
        summary: 'Delete a monitor; jobs of its checks remain',
        params: monitorParams,
        response: { 200: z.object({ monitorId: z.string(), deleted: z.literal(true) }), 404: problemSchema },
      },
    },
    async request => {
      const { schedule } = await ownedMonitor(server, request.caller, request.params.monitorId)
      await server.parts.store.schedules.delete(schedule.id)
      return { monitorId: chosenId(schedule.id), deleted: true as const }
    },
  )
}
