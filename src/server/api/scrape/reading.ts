// Reads a task, a job, and results of a job, and cancels a job.
import * as z from 'zod'
import { pageQuery } from '../../../model/api/pages.ts'
import { jobShown, taskShown } from '../../../pipeline/report/scrape-answers.ts'
import type { App } from '../../app.ts'
import { cursorAfter, placeIn } from '../../http/cursors.ts'
import type { Server } from '../../parts.ts'
import { enveloped, envelopeOf, problemEnvelope } from './envelope.ts'
import { scrapeJob, scrapeTask } from './look-up.ts'
import { shownJob, shownResults, shownTask } from './schemas.ts'

const missing = { 401: problemEnvelope, 404: problemEnvelope }
/** Accepts any text, so that an invalid id gets the same 404 as an unknown id. */
const jobParams = z.object({ jobId: z.string() })

export function addReading(app: App, server: Server): void {
  addTask(app, server)
  addJob(app, server)
  addResults(app, server)
  addCancelling(app, server)
}

function addTask(app: App, server: Server): void {
  app.get(
    '/api/v1/scrape/:taskId',
    {
      config: { scope: 'read', isOfAnyWorkspace: true },
      schema: {
        summary: 'Get a scrape, with its record once it is completed',
        params: z.object({ taskId: z.string() }),
        response: { 200: envelopeOf(shownTask), ...missing },
      },
    },
    async request => {
      const { job, task } = await scrapeTask(server, request.caller, request.params.taskId)
      return enveloped(await taskShown(server.parts.store, job, task), request)
    },
  )
}

function addJob(app: App, server: Server): void {
  app.get(
    '/api/v1/scrape/jobs/:jobId',
    {
      config: { scope: 'read', isOfAnyWorkspace: true },
      schema: {
        summary: 'Get the status of a batch',
        params: jobParams,
        response: { 200: envelopeOf(shownJob), ...missing },
      },
    },
    async request => {
      const job = await scrapeJob(server, request.caller, request.params.jobId)
      return enveloped(jobShown(job, await server.parts.store.jobs.counts(job.id)), request)
    },
  )
}

function addResults(app: App, server: Server): void {
  app.get(
    '/api/v1/scrape/jobs/:jobId/results',
    {
      config: { scope: 'read', isOfAnyWorkspace: true },
      schema: {
        summary: 'Get the completed tasks of a batch, with their records',
        params: jobParams,
        querystring: z.strictObject(pageQuery),
        response: { 200: envelopeOf(shownResults), ...missing },
      },
    },
    async request => {
      const { store } = server.parts
      const { limit, cursor } = request.query
      const job = await scrapeJob(server, request.caller, request.params.jobId)
      const after = placeIn(cursor, place)?.n ?? 0
      const { job_id, status, total_tasks, completed_tasks } = jobShown(job, await store.jobs.counts(job.id))
      const tasks = await store.tasks.list(job.id, { states: ['succeeded'], after, limit })
      const results = []
      for (const task of tasks) results.push(await taskShown(store, job, task))
      const next = cursorAfter(tasks, limit, ({ n }) => ({ n }))
      return enveloped({ job_id, status, total_tasks, completed_tasks, results, next_cursor: next }, request)
    },
  )
}

const place = z.object({ n: z.int().min(0) })

function addCancelling(app: App, server: Server): void {
  app.post(
    '/api/v1/scrape/jobs/:jobId/cancel',
    {
      config: { scope: 'submit', isOfAnyWorkspace: true },
      schema: {
        summary: 'Cancel the waiting tasks of a batch; tasks in flight finish',
        params: jobParams,
        response: { 200: envelopeOf(shownJob), ...missing, 409: problemEnvelope },
      },
    },
    async request => {
      const { id } = await scrapeJob(server, request.caller, request.params.jobId)
      const job = await server.parts.engine.steer(id, 'cancel')
      return enveloped(jobShown(job, await server.parts.store.jobs.counts(id)), request)
    },
  )
}
