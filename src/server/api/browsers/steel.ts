// Steel's /v1/sessions. A Steel session is a browser connection here: it starts when a client connects to its
// `websocketUrl`.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { Failure } from '../../../model/failures.ts'
import type { App, FastifyRequest } from '../../app.ts'
import { baseUrl, isoTime, problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { planConnection } from './connection-request.ts'
import type { BrowserConnections, OpenConnection } from './connections.ts'
import { foreignScope } from './foreign-routes.ts'

const created = z.strictObject({
  sessionId: z.uuid().optional(),
  /** Maximum duration of the session, in milliseconds. */
  timeout: z.int().min(1_000).optional(),
  userAgent: z.string().min(1).max(1_000).optional(),
})

const session = z.object({
  id: z.string(),
  status: z.enum(['idle', 'queued', 'live', 'released']),
  createdAt: z.string(),
  websocketUrl: z.string(),
  debugUrl: z.string(),
  timeout: z.number(),
  position: z.number().nullable(),
})

const released = z.object({ success: z.literal(true), message: z.string() })
const problems = { 404: problemSchema, 422: problemSchema }
const params = z.object({ sessionId: z.uuid() })

export function addSteel(app: App, server: Server, connections: BrowserConnections): void {
  const { parts, settings } = server
  foreignScope(app, 'steel-api-key', scope => {
    scope.post(
      '/v1/sessions',
      {
        config: { scope: 'submit' },
        schema: {
          summary: 'Create the address of a browser connection (Steel)',
          description:
            'The browser starts when a client connects to `websocketUrl`, with its key as `apiKey`.',
          body: created,
          response: { 200: session, ...problems },
        },
      },
      async request => {
        const { sessionId = randomUUID(), timeout, userAgent } = request.body
        const asked = { protocol: 'cdp' as const, sessionId, timeout, userAgent }
        const { maxMs } = planConnection(asked, settings)
        const url = new URL(`${baseUrl(server, request as FastifyRequest).replace(/^http/, 'ws')}/cdp`)
        url.searchParams.set('sessionId', sessionId)
        url.searchParams.set('timeout', String(maxMs))
        if (userAgent !== undefined) url.searchParams.set('userAgent', userAgent)
        return {
          ...{ id: sessionId, status: 'idle' as const, createdAt: isoTime(parts.clock.now()) },
          ...{
            websocketUrl: url.href,
            debugUrl: debugUrl(request as FastifyRequest),
            timeout: maxMs,
            position: null,
          },
        }
      },
    )
    scope.get(
      '/v1/sessions',
      {
        config: { scope: 'read' },
        schema: {
          summary: 'List the browser connections of this process (Steel)',
          response: { 200: z.object({ sessions: z.array(session) }) },
        },
      },
      async request => ({
        sessions: own(request as FastifyRequest).map(one => shown(one, request as FastifyRequest)),
      }),
    )
    scope.get(
      '/v1/sessions/:sessionId',
      {
        config: { scope: 'read' },
        schema: { summary: 'Show a browser connection', params, response: { 200: session, ...problems } },
      },
      async request =>
        shown(known(request as FastifyRequest, request.params.sessionId), request as FastifyRequest),
    )
    scope.post(
      '/v1/sessions/release',
      {
        config: { scope: 'submit' },
        schema: { summary: 'End all browser connections of the workspace', response: { 200: released } },
      },
      async request => {
        for (const connection of own(request as FastifyRequest)) connection.close('stopped')
        return { success: true as const, message: 'all connections were ended' }
      },
    )
    scope.post(
      '/v1/sessions/:sessionId/release',
      {
        config: { scope: 'submit' },
        schema: {
          summary: 'End a browser connection',
          params,
          response: { 200: released, ...problems },
        },
      },
      async request => {
        known(request as FastifyRequest, request.params.sessionId).close('stopped')
        return { success: true as const, message: 'the connection was ended' }
      },
    )
  })

  const debugUrl = (request: FastifyRequest) => `${baseUrl(server, request)}/#/browsers`
  const own = ({ caller }: FastifyRequest) =>
    connections.all.filter(({ workspace }) => workspace === caller.workspace)
  const known = (request: FastifyRequest, id: string): OpenConnection => {
    const found = own(request).find(connection => connection.id === id)
    if (found) return found
    throw new Failure(
      'item.unknown',
      `there is no open session "${id}"; GET /v1/sessions lists the open sessions`,
    )
  }
  const shown = (connection: OpenConnection, request: FastifyRequest) => ({
    ...{ id: connection.id, status: connection.openedAt === null ? ('queued' as const) : ('live' as const) },
    ...{ createdAt: isoTime(connection.createdAt), debugUrl: debugUrl(request) },
    websocketUrl: `${baseUrl(server, request).replace(/^http/, 'ws')}/cdp?sessionId=${connection.id}`,
    timeout: connection.endsAt === null ? 0 : connection.endsAt - (connection.openedAt ?? 0),
    position: connections.positionOf(connection),
  })
}
