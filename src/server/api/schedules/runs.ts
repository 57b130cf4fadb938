// The runs of a schedule: lists them, and starts one by hand.
import * as z from 'zod'
import { pageQuery } from '../../../model/api/pages.ts'
import { runList, scheduleParams, shownRun as shownSchema } from '../../../model/api/schedules.ts'
import { runLatestTick, runNow } from '../../../pipeline/submit/run-schedules.ts'
import type { App } from '../../app.ts'
import { cursorAfter, placeIn } from '../../http/cursors.ts'
import { problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { scheduleParts } from '../../scheduled-jobs.ts'
import { ownedSchedule, shownRun } from './views.ts'

export function addRuns(app: App, server: Server): void {
  app.get(
    '/schedules/:scheduleId/runs',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List the runs of a schedule, newest first',
        params: scheduleParams,
        querystring: z.strictObject(pageQuery),
        response: { 200: runList, 404: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const schedule = await ownedSchedule(server, request.caller, request.params.scheduleId)
      const { limit, cursor } = request.query
      const before = placeIn(cursor, z.int())
      const options = { limit, ...(before !== undefined && { before }) }
      const runs = await server.parts.store.schedules.runs(schedule.id, options)
      return {
        runs: await Promise.all(runs.map(run => shownRun(server.parts.store.jobs, run, schedule))),
        nextCursor: cursorAfter(runs, limit, ({ tick }) => tick),
      }
    },
  )
  addRunningNow(app, server)
}

function addRunningNow(app: App, server: Server): void {
  const parts = scheduleParts(server)
  app.post(
    '/schedules/:scheduleId/run',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Run a schedule now',
        description:
          'Works for paused schedules too. If the previous run has not ended, `overlap` decides: with `skip` the response is 409, with `queue` the run waits. External schedulers send `tick=latest` to request the run of the last tick. If that tick already has a run, the response is that run. With `tick=latest` and `skip`, the response is a run with the outcome `skipped`.',
        params: scheduleParams,
        querystring: z.strictObject({ tick: z.literal('latest').optional() }),
        response: { 202: shownSchema, 404: problemSchema, 409: problemSchema },
      },
    },
    async (request, reply) => {
      const schedule = await ownedSchedule(server, request.caller, request.params.scheduleId)
      const run = request.query.tick ? runLatestTick : runNow
      const entered = await run(parts, schedule)
      return reply.code(202).send(await shownRun(server.parts.store.jobs, entered, schedule))
    },
  )
}
