// The health API: liveness, readiness and metrics.
import * as z from 'zod'
import { defaultWorkspace } from '../../model/access.ts'
import { healthReport, readiness } from '../../model/api/operations.ts'
import type { App, RouteGroup } from '../app.ts'
import { keepToOperators } from '../operators-only.ts'
import type { GuardedServer, Server } from '../parts.ts'

export const healthApi: RouteGroup = {
  name: 'health',
  about: 'Liveness, readiness and metrics.',
  addRoutes(app, server) {
    keepToOperators(app)
    addHealth(app, server)
    addMetrics(app, server)
  },
}

function addHealth(app: App, { parts, callerOf }: GuardedServer): void {
  const open = { scope: 'open', ignoresQuery: true } as const
  app.get(
    '/healthz',
    {
      config: { ...open, answersWhenBusy: true },
      schema: {
        summary: 'Check that the process runs',
        response: { 200: z.object({ status: z.literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/health',
    { config: open, schema: { summary: 'Get the health of the service', response: { 200: healthReport } } },
    async request => {
      const [report, caller] = await Promise.all([parts.health.report(), callerOf(request)])
      return caller?.workspace === defaultWorkspace ? report : { ...report, queue: null }
    },
  )
  app.get(
    '/readiness',
    {
      config: open,
      schema: {
        summary: 'Check whether the service can fetch a page now',
        response: { 200: readiness, 503: readiness },
      },
    },
    async (_request, reply) => {
      const state = await parts.health.readiness()
      return reply.code(state.ready ? 200 : 503).send(state)
    },
  )
}

function addMetrics(app: App, { parts, settings }: Server): void {
  app.get(
    '/metrics',
    {
      config: { scope: settings.openMetrics ? 'open' : 'read', ignoresQuery: true },
      schema: {
        summary: 'Get the metrics',
        description:
          'Returns the metrics in Prometheus text format. If the Accept header requests it, returns OpenMetrics (with exemplars) or JSON.',
      },
    },
    async (request, reply) => {
      if (wantsJson(request.headers.accept)) return reply.send(await parts.metrics.json())
      const { type, body } = await parts.metrics.text(request.headers.accept)
      return reply.type(type).send(body)
    },
  )
}

export const wantsJson = (accept = ''): boolean =>
  accept.includes('application/json') && !accept.includes('text/plain')
