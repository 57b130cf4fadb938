// A small HTTP server for processes without an API: liveness, readiness and metrics.
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import type { Readiness } from '../model/api/operations.ts'
import type { Metrics } from './parts.ts'

interface HealthServer extends AsyncDisposable {
  port: number
}

export async function startHealthServer(
  parts: { readiness: () => Promise<Readiness>; metrics: Pick<Metrics, 'text'> },
  { host, port }: { host: string; port: number },
): Promise<HealthServer> {
  const app = fastify()
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readiness', async (_request, reply) => {
    const state = await parts.readiness()
    return reply.code(state.ready ? 200 : 503).send(state)
  })
  app.get('/metrics', async (request, reply) => {
    const { type, body } = await parts.metrics.text(request.headers.accept)
    return reply.type(type).send(body)
  })
  await app.listen({ host, port })
  return {
    port: (app.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => app.close(),
  }
}
