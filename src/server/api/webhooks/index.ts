// The webhooks API: lists delivered and undelivered webhooks, and replays them.

import * as z from 'zod'
import { type Caller, secretFor } from '../../../model/access.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { fullWebhook, shownWebhook } from '../../../model/api/service.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId, id } from '../../../model/ids.ts'
import { isSlackId, type Webhook, type WebhookSummary, webhookStates } from '../../../model/webhook.ts'
import type { App, RouteGroup } from '../../app.ts'
import { cursorAfter, idCursor } from '../../http/cursors.ts'
import { isoTime, isoTimeOrNull, problemSchema } from '../../http/responses.ts'
import { storedJobId } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'

/** Allows up to 200 characters, because a webhook id contains a job id and a suffix. */
const params = z.object({ webhookId: z.string().regex(/^[\w.-]{1,200}$/, 'not a webhook id') })

const query = z.strictObject({
  state: z.enum(webhookStates).optional().describe('`dead` lists webhooks without further attempts.'),
  jobId: id.optional(),
  ...pageQuery,
})

export const webhooksApi: RouteGroup = {
  name: 'webhooks',
  about: 'Webhooks about ended jobs: delivery log, dead letters and replay.',
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
        summary: 'List webhooks, newest first',
        querystring: query,
        response: {
          200: z.object({ webhooks: z.array(shownWebhook), nextCursor: z.string().nullable() }),
          422: problemSchema,
        },
      },
    },
    async request => {
      const { state, jobId, limit, cursor } = request.query
      const found = await parts.store.outbox.list({
        ...{ workspace: request.caller.workspace, limit },
        ...(state && { states: [state] }),
        ...(jobId !== undefined && { jobId: await storedJobId({ parts }, request.caller, jobId) }),
        ...idCursor(cursor),
      })
      return {
        webhooks: found.map(webhook => shown(webhook, request.caller)),
        nextCursor: cursorAfter(found, limit, one => one.id),
      }
    },
  )
}

function addShowing(app: App, server: Server): void {
  app.get(
    '/webhooks/:webhookId',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get a webhook with its body and delivery attempts',
        params,
        response: { 200: fullWebhook, 404: problemSchema },
      },
    },
    async request => {
      const webhook = await owned(server, request.caller, request.params.webhookId)
      const attempts = await server.parts.store.outbox.attempts(webhook.id)
      return {
        ...shown(webhook, request.caller),
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
        summary: 'Replay a webhook',
        description:
          'Works for a webhook in any state. A replay sends the same body with the same id, and the delivery log continues.',
        params,
        response: { 202: shownWebhook, 404: problemSchema },
      },
    },
    async (request, reply) => {
      const { id: webhookId } = await owned(server, request.caller, request.params.webhookId)
      await server.parts.store.outbox.replay(webhookId, server.parts.clock.now())
      return reply.code(202).send(shown(await owned(server, request.caller, webhookId), request.caller))
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

const shown = (webhook: WebhookSummary, caller: Caller) => {
  const { id: webhookId, jobId, event, url, state, attempts, createdAt, nextAt } = webhook
  return {
    ...{ webhookId, jobId: chosenId(jobId), event, state, attempts },
    url: isSlackId(webhookId) ? secretFor(caller, url) : url,
    createdAt: isoTime(createdAt),
    nextAt: isoTimeOrNull(nextAt),
  }
}
