// Creates, changes, pauses and deletes schedules.

import * as z from 'zod'
import { wallClock } from '../../../lib/clocks.ts'
import type { Caller } from '../../../model/access.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import {
  newScheduleBody,
  scheduleList,
  scheduleParams,
  shownSchedule as shownSchema,
} from '../../../model/api/schedules.ts'
import { chosenId } from '../../../model/ids.ts'
import { refuseOwnLabels } from '../../../model/own-labels.ts'
import { type Schedule, type SchedulePatch, schedulePatch } from '../../../model/schedule.ts'
import { changedSchedule, newSchedule } from '../../../pipeline/submit/plan-schedule.ts'
import { sealHeaders } from '../../../pipeline/submit/sealed-headers.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { cursorAfter, idCursor } from '../../http/cursors.ts'
import { baseUrl, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { checkJob } from '../../scheduled-jobs.ts'
import { ownedSchedule, shownSchedule } from './views.ts'

const submit = { scope: 'submit' } as const
const answers = { 200: shownSchema, 404: problemSchema, 422: problemSchema }

const timing = () => ({ now: wallClock.now(), random: Math.random })

export function addManaging(app: App, server: Server): void {
  addCreating(app, server)
  addLooking(app, server)
  addChanging(app, server)
  addPausing(app, server)
  addDeleting(app, server)
}

const shown = (server: Server, request: FastifyRequest, schedule: Schedule) =>
  shownSchedule(schedule, request.caller, baseUrl(server, request))

/** Seals those headers of the job that may be secret. */
const sealed = <Part extends { id: string; job?: Schedule['job'] }>({ parts }: Server, part: Part): Part =>
  part.job ? { ...part, job: sealHeaders(parts.sealer, part.id, part.job) } : part

function addCreating(app: App, server: Server): void {
  app.post(
    '/schedules',
    {
      config: { ...submit, takesLists: true },
      schema: {
        summary: 'Create a schedule',
        description: 'The job is validated now, like a submitted job. The response has the next five runs.',
        body: newScheduleBody,
        response: { 201: shownSchema, 409: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      refuseOwnLabels(request.body.job.labels, 'job.labels')
      const { workspace, keyId } = request.caller
      const made = newSchedule(request.body, { workspace, keyId }, timing())
      await checkJob(server, request.caller, request.body.job)
      const schedule = sealed(server, made)
      await server.parts.store.schedules.create(schedule)
      const answer = shown(server, request, schedule)
      return reply.code(201).header('location', answer.links.self).send(answer)
    },
  )
}

function addLooking(app: App, server: Server): void {
  const config = { scope: 'read' } as const
  app.get(
    '/schedules',
    {
      config,
      schema: {
        summary: 'List schedules',
        querystring: z.strictObject(pageQuery),
        response: { 200: scheduleList, 422: problemSchema },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { workspace } = request.caller
      const found = await server.parts.store.schedules.list({ workspace, limit, ...idCursor(cursor) })
      return {
        schedules: found.map(schedule => shown(server, request, schedule)),
        nextCursor: cursorAfter(found, limit, ({ id }) => id),
      }
    },
  )
  app.get(
    '/schedules/:scheduleId',
    { config, schema: { summary: 'A schedule', params: scheduleParams, response: answers } },
    async request =>
      shown(server, request, await ownedSchedule(server, request.caller, request.params.scheduleId)),
  )
}

function addChanging(app: App, server: Server): void {
  app.patch(
    '/schedules/:scheduleId',
    {
      config: { ...submit, takesLists: true },
      schema: {
        summary: 'Change a schedule',
        description: 'Changes the given fields. If `job` is given, later runs use your key.',
        params: scheduleParams,
        body: schedulePatch.meta({ examples: [{ cron: '0 4 * * *', jitter_s: 0 }] }),
        response: answers,
      },
    },
    async request => {
      const { job } = request.body
      refuseOwnLabels(job?.labels, 'job.labels')
      if (job) await checkJob(server, request.caller, job)
      const changed = await change(server, request.caller, request.params.scheduleId, request.body)
      return shown(server, request, changed)
    },
  )
}

async function change(
  server: Server,
  caller: Caller,
  scheduleId: string,
  patch: SchedulePatch,
): Promise<Schedule> {
  const schedule = await ownedSchedule(server, caller, scheduleId)
  const { id: _id, ...changes } = sealed(server, {
    ...changedSchedule(schedule, patch, timing()),
    id: schedule.id,
  })
  const owner = patch.job ? { keyId: caller.keyId } : {}
  const changed = await server.parts.store.schedules.update(schedule.id, { ...changes, ...owner })
  return changed ?? ownedSchedule(server, caller, scheduleId)
}

function addPausing(app: App, server: Server): void {
  const ways = [
    ['pause', true, 'Pause a schedule; queued and active runs continue'],
    ['resume', false, 'Resume a schedule with the next tick; missed ticks are not run'],
  ] as const
  for (const [way, paused, summary] of ways)
    app.post(
      `/schedules/:scheduleId/${way}`,
      { config: submit, schema: { summary, params: scheduleParams, response: answers } },
      async request => {
        const changed = await change(server, request.caller, request.params.scheduleId, { paused })
        return shown(server, request, changed)
      },
    )
}

function addDeleting(app: App, server: Server): void {
  app.delete(
    '/schedules/:scheduleId',
    {
      config: submit,
      schema: {
        summary: 'Delete a schedule and the list of its runs; the jobs remain',
        params: scheduleParams,
        response: {
          200: z.object({ scheduleId: z.string(), deleted: z.literal(true) }),
          404: problemSchema,
        },
      },
    },
    async request => {
      const { id } = await ownedSchedule(server, request.caller, request.params.scheduleId)
      await server.parts.store.schedules.delete(id)
      return { scheduleId: chosenId(id), deleted: true as const }
    },
  )
}
