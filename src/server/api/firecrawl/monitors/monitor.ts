// /v2/monitor: Firecrawl's monitor API. A monitor is a schedule whose runs are compared.
import * as z from 'zod'
import { wallClock } from '../../../../lib/clocks.ts'
import { chosenId } from '../../../../model/ids.ts'
import { pageStatuses } from '../../../../model/monitor.ts'
import type { Schedule } from '../../../../model/schedule.ts'
import { changedSchedule } from '../../../../pipeline/submit/plan-schedule.ts'
import { runNow } from '../../../../pipeline/submit/run-schedules.ts'
import type { App, FastifyRequest } from '../../../app.ts'
import { baseUrl } from '../../../http/responses.ts'
import type { Server } from '../../../parts.ts'
import { scheduleParts } from '../../../scheduled-jobs.ts'
import { Checks, termsOf } from '../../monitors/checks.ts'
import { createMonitor, ownedMonitor } from '../../monitors/manage.ts'
import { read, readBody, submitLists } from '../routes.ts'
import { monitorFor, openedMonitor } from './monitor-job.ts'
import { changedMonitor, cronOf, newMonitor } from './monitor-schemas.ts'
import { monitorRuns, shownCheck, shownMonitor, shownPages } from './monitor-view.ts'

type WithId = { Params: { id: string } }
type WithCheck = { Params: { id: string; checkId: string } }

const count = z.coerce.number().int().min(0)
const listQuery = z.strictObject({ limit: count.min(1).max(100).default(20), offset: count.default(0) })
const checkQuery = z.strictObject({
  ...{ limit: count.min(1).max(1_000).default(100), skip: count.default(0) },
  status: z.enum(pageStatuses).optional(),
})

export function addMonitors(app: App, server: Server): void {
  const checks = new Checks(server.parts.store)
  addManaging(app, server, checks)
  addRunning(app, server, checks)
  addChecks(app, server, checks)
}

function addManaging(app: App, server: Server, checks: Checks): void {
  const { schedules } = server.parts.store
  const shown = async (schedule: Schedule) => shownMonitor(server, checks, schedule)
  app.post('/v2/monitor', submitLists, async request => {
    const body = await monitorFor(server, request.caller, readBody(newMonitor, request.body))
    const schedule = await createMonitor(server, request.caller, body)
    return { success: true, data: await shown(schedule) }
  })
  app.get('/v2/monitor', read, async request => {
    const { limit, offset } = readBody(listQuery, request.query)
    const all = await schedules.list({ workspace: request.caller.workspace, limit: 1_000 })
    const monitors = all.filter(schedule => termsOf(schedule)).slice(offset, offset + limit)
    return { success: true, data: await Promise.all(monitors.map(shown)) }
  })
  app.get<WithId>('/v2/monitor/:id', read, async request => {
    const { schedule } = await ownedMonitor(server, request.caller, request.params.id)
    return { success: true, data: await shown(schedule) }
  })
  app.patch<WithId>('/v2/monitor/:id', submitLists, async request => ({
    ...{ success: true, data: await shown(await changed(server, request, request.params.id)) },
  }))
  app.delete<WithId>('/v2/monitor/:id', submitLists, async request => {
    const { schedule } = await ownedMonitor(server, request.caller, request.params.id)
    await schedules.delete(schedule.id)
    return { success: true }
  })
}

/** Applies a change. Targets, webhook and notification are part of the job, so a change of any of them builds the job again. */
async function changed(server: Server, request: FastifyRequest, id: string): Promise<Schedule> {
  const { schedule } = await ownedMonitor(server, request.caller, id)
  const asked = readBody(changedMonitor, request.body)
  const { name, status, schedule: times, origin: _origin, integration: _integration, ...rest } = asked
  const isNewJob = Object.values(rest).some(value => value !== undefined)
  const before = openedMonitor(server.parts.sealer, schedule)
  const made =
    isNewJob && before
      ? await createMonitor(
          server,
          request.caller,
          await monitorFor(server, request.caller, {
            ...before,
            ...rest,
            ...{
              name: name ?? schedule.name,
              schedule: times ?? { cron: schedule.cron, timezone: schedule.timeZone },
            },
          } as Parameters<typeof monitorFor>[2]),
          { isStored: false, id: schedule.id },
        )
      : null
  const patch = {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { paused: status === 'paused' }),
    ...(times && { cron: cronOf(times), timeZone: times.timezone }),
  }
  const timing = { now: wallClock.now(), random: Math.random }
  const change = {
    ...changedSchedule(schedule, patch, timing),
    ...(made && { job: made.job, keyId: made.keyId }),
  }
  return (await server.parts.store.schedules.update(schedule.id, change)) ?? schedule
}

function addRunning(app: App, server: Server, checks: Checks): void {
  const parts = scheduleParts(server)
  app.post<WithId>('/v2/monitor/:id/run', submitLists, async request => {
    const { schedule, terms } = await ownedMonitor(server, request.caller, request.params.id)
    const { jobId } = await runNow(parts, schedule)
    const job = jobId === null ? null : await server.parts.store.jobs.get(jobId)
    const data = job && (await shownCheck(checks, schedule, terms, job, []))
    return { success: true, data: data && { ...data, trigger: 'manual' } }
  })
}

function addChecks(app: App, server: Server, checks: Checks): void {
  app.get<WithId>('/v2/monitor/:id/checks', read, async request => {
    const { limit, offset } = readBody(listQuery, request.query)
    const { schedule, terms } = await ownedMonitor(server, request.caller, request.params.id)
    const runs = await monitorRuns(server, schedule)
    const data = []
    for (const [index, job] of runs.slice(offset, offset + limit).entries())
      data.push(await shownCheck(checks, schedule, terms, job, runs.slice(offset + index + 1)))
    return { success: true, data }
  })
  app.get<WithCheck>('/v2/monitor/:id/checks/:checkId', read, async request => {
    const { limit, skip, status } = readBody(checkQuery, request.query)
    const { id, checkId } = request.params
    const { schedule, terms } = await ownedMonitor(server, request.caller, id)
    const runs = await monitorRuns(server, schedule)
    const { check, pages } = await shownPages(checks, schedule, terms, runs, checkId)
    const wanted = pages.filter(page => status === undefined || page.status === status)
    const rest = `status=${status ?? ''}`.replace(/^status=$/, '')
    const address = `${baseUrl(server, request)}/v2/monitor/${chosenId(schedule.id)}/checks/${checkId}`
    const isMore = skip + limit < wanted.length
    const next = isMore ? `${address}?skip=${skip + limit}&limit=${limit}${rest && `&${rest}`}` : null
    return { success: true, data: { ...check, pages: wanted.slice(skip, skip + limit), next }, next }
  })
}
