// Health: is the process there, could it fetch a page now, and what does it measure.
import * as z from 'zod'
import type { App, RouteGroup } from '../app.ts'
import { keepToOperators } from '../operators-only.ts'
import type { Server } from '../parts.ts'

const healthReport = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  uptimeSeconds: z.int(),
  browserPool: z
    .object({
      total: z.int(),
      available: z.int(),
      inUse: z.int(),
      pagesProcessed: z.int(),
      recycledCount: z.int(),
    })
    .describe(
      'Pages that browsers can have open. Before the first browser starts, all of them are available.',
    ),
  proxies: z.object({
    healthy: z.int(),
    unhealthy: z.int(),
    each: z
      .array(z.object({ healthy: z.boolean(), successes: z.int(), failures: z.int() }))
      .describe('In the order in which they are set up. `GET /proxies` names them, for those who may know.'),
  }),
  queue: z.object({
    queueDepth: z.int().describe('Tasks that wait.'),
    activeWorkers: z.int().describe('Tasks that are being worked on.'),
    avgDuration: z.number().nullable().describe('Seconds.'),
  }),
})

const readiness = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.string()).describe('What was looked at: `ok`, or what is wrong.'),
})

export const healthApi: RouteGroup = {
  name: 'health',
  about: 'Is it there, could it work, what does it measure.',
  addRoutes(app, server) {
    keepToOperators(app)
    addHealth(app, server)
    addMetrics(app, server)
  },
}

function addHealth(app: App, { parts }: Server): void {
  const open = { scope: 'open', ignoresQuery: true } as const
  app.get(
    '/healthz',
    {
      config: { ...open, answersWhenBusy: true },
      schema: { summary: 'The process answers', response: { 200: z.object({ status: z.literal('ok') }) } },
    },
    async () => ({ status: 'ok' as const }),
  )
  app.get(
    '/health',
    { config: open, schema: { summary: 'How the service is', response: { 200: healthReport } } },
    async () => parts.health.report(),
  )
  app.get(
    '/readiness',
    {
      config: open,
      schema: {
        summary: 'Whether a page could be fetched now',
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
        summary: 'What is measured',
        description:
          "Prometheus' text format, OpenMetrics' (with exemplars) for those who accept it, or JSON for those who accept nothing else.",
      },
    },
    async (request, reply) => {
      if (wantsJson(request.headers.accept)) return reply.send(await parts.metrics.json())
      const { type, body } = await parts.metrics.text(request.headers.accept)
      return reply.type(type).send(body)
    },
  )
}

const wantsJson = (accept = ''): boolean =>
  accept.includes('application/json') && !accept.includes('text/plain')
