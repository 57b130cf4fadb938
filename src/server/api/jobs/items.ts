// The tasks of a job and their stored files.

import * as z from 'zod'
import { itemLook, itemShown, itemSummary, rejectedRows } from '../../../model/api/items.ts'
import { itemParams, jobParams } from '../../../model/api/jobs.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { type Task, taskStates } from '../../../model/task.ts'
import { type AttemptTimes, knownSince, timesOf } from '../../../pipeline/coordinate/attempt-times.ts'
import {
  artifactNames,
  findItem,
  linkToArtifact,
  readArtifact,
  readTaskPage,
} from '../../../pipeline/report/item-artifacts.ts'
import { maskedRecord } from '../../../pipeline/work/documents/page-document.ts'
import type { App } from '../../app.ts'
import { cursorAfter, cursorOf, placeIn } from '../../http/cursors.ts'
import { asDownload } from '../../http/downloads.ts'
import { isoTime, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { findItems } from './find-items.ts'
import { shownTask, withSources } from './views.ts'

export function addItems(app: App, server: Server): void {
  addItemList(app, server)
  addRejected(app, server)
  addItem(app, server)
  addDownload(app, server)
  addItemLook(app, server)
}

function addItemList(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/items',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List the tasks of a job',
        params: jobParams,
        description:
          'With `reason`, `attempt` or `text`, a page of the list may have fewer than `limit` tasks, or no task, although there is a next page.',
        querystring: z.strictObject({
          status: z.enum(taskStates).optional(),
          reason: z.string().max(100).optional().describe('Like `ok` or `http.not-found`.'),
          attempt: z
            .string()
            .max(100)
            .optional()
            .describe(
              'An outcome like `connection.lost`. Lists tasks of which at least one attempt ended with it, even if a later attempt succeeded.',
            ),
          text: z.string().max(500).optional().describe('A part of the URL, the item id or the message.'),
          ...pageQuery,
        }),
        response: {
          200: z.object({ items: z.array(itemSummary), nextCursor: z.string().nullable() }),
          404: problemSchema,
        },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const after = placeIn(cursor, z.int().min(0)) ?? 0
      const { found, next } = await findItems(server.parts.store.tasks, job.id, filter, { after, limit })
      return { items: found.map(shownTask), nextCursor: next === null ? null : cursorOf(next) }
    },
  )
}

function addRejected(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/rejected',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'List rejected rows of the source, with line and reason',
        params: jobParams,
        querystring: z.strictObject(pageQuery),
        response: { 200: rejectedRows },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const after = placeIn(cursor, z.int().min(0)) ?? 0
      const rows = await server.parts.store.tasks.rejected(job.id, { after, limit })
      return { rows, nextCursor: cursorAfter(rows, limit, ({ row }) => row) }
    },
  )
}

function addItem(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/items/:itemId',
    {
      config: { scope: 'read' },
      schema: { summary: 'Get a task with its attempts', params: itemParams, response: { 200: itemShown } },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const task = await knownItem(server, job, request.params.itemId)
      const { tasks } = server.parts.store
      const attempts = await tasks.attempts(job.id, task.n)
      const times = timesOf(attempts, await knownSince(tasks, job, task))
      return {
        ...shownTask(task),
        input: task.input === null ? null : maskedRecord(JSON.parse(task.input), job.spec.pii ?? 'keep'),
        records: (await server.parts.store.records.ofTask(job.id, task.n)).map(withSources),
        history: attempts.map(({ attempt, outcome, message, status, bytes, way }, index) => ({
          ...{ attempt, outcome, message, bytes, way, httpStatus: status },
          ...shownTimes(times[index]!),
        })),
        artifacts: artifactNames(attempts),
      }
    },
  )
}

function addDownload(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/items/:itemId/download',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Download a file of a task: page, records, metadata or screenshot',
        params: itemParams,
        querystring: z.strictObject({
          artifact: z
            .string()
            .regex(/^[a-z][a-z0-9-]{0,63}$/, 'a name like "html" or "screenshot"')
            .describe('`html`, `data`, `metadata`, `screenshot`, …: see `artifacts` of the item.'),
          direct: z
            .stringbool()
            .optional()
            .describe(
              'If results are in a bucket, the response is a redirect to it that is valid for five minutes.',
            ),
        }),
        response: { 404: problemSchema },
      },
    },
    async (request, reply) => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const task = await knownItem(server, job, request.params.itemId)
      const { artifact, direct } = request.query
      const link = direct ? await linkToArtifact(server.parts, task, artifact) : null
      if (link !== null) return reply.redirect(link, 307)
      const file = await readArtifact(server.parts, job, task, artifact)
      if (!file) throw await unknownArtifact(server, job, task, artifact)
      return asDownload(reply, file.fileName, file.type).send(file.bytes)
    },
  )
}

function addItemLook(app: App, server: Server): void {
  app.get(
    '/jobs/:jobId/items/:itemId/look',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Get the stored page of a task for display, with the elements that contain the fields',
        description:
          'The response is like `GET /previews/{preview_id}/look`. `fields` lists the elements that the rules of the job found by selector.',
        params: itemParams,
        response: {
          200: itemLook,
          404: problemSchema,
          422: problemSchema,
        },
      },
    },
    async request => {
      const job = await ownedJob(server, request.caller, request.params.jobId)
      const task = await knownItem(server, job, request.params.itemId)
      const page = await readTaskPage(server.parts, task)
      if (!page)
        throw new Failure(
          'artifact.unknown',
          `the page of ${request.params.itemId} is not stored; it was deleted, or the job stores no raw pages`,
        )
      const shown = await server.parts.pageLook(page)
      if (!shown)
        throw new Failure(
          'content.unsupported',
          `${task.url} is not an HTML page; only HTML pages can be shown`,
        )
      const rules = job.spec.extract
      return { ...shown, fields: rules ? await server.parts.fieldPlaces(page, rules) : [] }
    },
  )
}

const shownTimes = ({ queuedAt, startedAt, endedAt, readAt, storedAt }: AttemptTimes) => ({
  queuedAt: isoTime(queuedAt),
  startedAt: isoTime(startedAt),
  endedAt: isoTime(endedAt),
  readAt: isoTimeOrNull(readAt),
  storedAt: isoTimeOrNull(storedAt),
})

export async function knownItem({ parts }: Server, job: Job, itemId: string): Promise<Task> {
  const task = await findItem(parts, job.id, itemId)
  if (task) return task
  throw new Failure(
    'item.unknown',
    `job ${chosenId(job.id)} has no item "${itemId}"; GET /jobs/${chosenId(job.id)}/items lists them`,
  )
}

async function unknownArtifact({ parts }: Server, job: Job, task: Task, name: string): Promise<Failure> {
  const names = artifactNames(await parts.store.tasks.attempts(job.id, task.n))
  return new Failure('artifact.unknown', `this item has no "${name}"; it has ${names.join(', ')}`, {
    path: 'artifact',
  })
}
