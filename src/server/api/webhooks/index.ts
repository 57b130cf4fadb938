// The webhooks face: what was told to whom, what was not taken, and sending it again.

import * as z from 'zod'
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId, id } from '../../../model/ids.ts'
import { type Webhook, type WebhookSummary, webhookEvents, webhookStates } from '../../../model/webhook.ts'
import { isoTime, isoTimeOrNull, pageQuery, problemSchema } from '../../answers.ts'
import type { App, RouteGroup } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import { storedJobId } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

const shownWebhook = z.object({
  webhookId: z.string().describe('The `webhook-id` of every delivery: who has seen it has the message.'),
  jobId: z.string(),
  event: z.enum(webhookEvents),
  url: z.string(),
  state: z.enum(webhookStates).describe('`dead` is given up; it can be replayed.'),
  attempts: z.int().describe('Since it was entered, or replayed.'),
  createdAt: z.string(),
  nextAt: z.string().nullable(),
})

const fullWebhook = shownWebhook.extend({
  body: z.record(z.string(), z.unknown()),
  log: z.array(
    z.object({
      attempt: z.int(),
      at: z.string(),
      durationMs: z.int(),
      status: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
})

/** Longer than an id: it is made of one. */
const params = z.object({ webhookId: z.string().regex(/^[\w.-]{1,200}$/, 'no id of a webhook') })

const query = z.strictObject({
  state: z.enum(webhookStates).optional().describe('`dead` lists what was given up.'),
  jobId: id.optional(),
  ...pageQuery,
})

export const webhooksApi: RouteGroup = {
  name: 'webhooks',
  about:
    'What was told to other servers when jobs ended: the log of deliveries, dead letters, and sending again.',
  addRoutes(app, server) {
    addListing(app, server)
    addShowing(app, server)
    addReplaying(app, server)
  },
}

function addListing(app: App, { parts }: Server): void {
  app.get(
    '/webhooks',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'The webhooks there are, newest first',
        querystring: query,
        response: {
          200: z.object({ webhooks: z.array(shownWebhook), nextCursor: z.string().nullable() }),
          422: problemSchema,
        },
      },
    },
    async request => {
      const { state, jobId, limit, cursor } = request.query
      const place = placeIn(cursor, z.string())
      const found = await parts.store.outbox.list({
        ...{ workspace: request.caller.workspace, limit },
        ...(state && { states: [state] }),
        ...(jobId !== undefined && { jobId: await storedJobId({ parts }, request.caller, jobId) }),
        ...(place !== undefined && { cursor: place }),
      })
      const last = found.length === limit ? found.at(-1) : undefined
      return { webhooks: found.map(shown), nextCursor: last ? cursorOf(last.id) : null }
    },
  )
}

function addShowing(app: App, server: Server): void {
  app.get(
    '/webhooks/:webhookId',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'A webhook: what it says, and every attempt to deliver it',
        params,
        response: { 200: fullWebhook, 404: problemSchema },
      },
    },
    async request => {
      const webhook = await owned(server, request.caller, request.params.webhookId)
      const attempts = await server.parts.store.outbox.attempts(webhook.id)
      return {
        ...shown(webhook),
        body: JSON.parse(webhook.body) as Record<string, unknown>,
        log: attempts.map(attempt => ({ ...attempt, at: isoTime(attempt.at) })),
      }
    },
  )
}

function addReplaying(app: App, server: Server): void {
  app.post(
    '/webhooks/:webhookId/replay',
    {
      config: { scope: 'submit' },
      schema: {
        summary: 'Send it again, with all its attempts',
        description: 'Whatever its state. It says the same under the same id; the log goes on.',
        params,
        response: { 202: shownWebhook, 404: problemSchema },
      },
    },
    async (request, reply) => {
      const { id: webhookId } = await owned(server, request.caller, request.params.webhookId)
      await server.parts.store.outbox.replay(webhookId, server.parts.clock.now())
      return reply.code(202).send(shown(await owned(server, request.caller, webhookId)))
    },
  )
}

async function owned({ parts }: Server, { workspace }: Caller, webhookId: string): Promise<Webhook> {
  const webhook = await parts.store.outbox.get(webhookId)
  if (webhook && webhook.workspace === workspace) return webhook
  throw new Failure('webhook.unknown', `there is no webhook "${webhookId}"; GET /webhooks lists them`, {
    webhookId,
  })
}

const shown = ({ id: webhookId, jobId, event, url, state, attempts, createdAt, nextAt }: WebhookSummary) => ({
  ...{ webhookId, jobId: chosenId(jobId), event, url, state, attempts },
  createdAt: isoTime(createdAt),
  nextAt: isoTimeOrNull(nextAt),
})
